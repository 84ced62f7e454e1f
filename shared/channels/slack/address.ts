/** Whether a text is an incoming webhook of Slack, and nothing else. */
export function isSlackUrl(text: string): boolean {
  return /^https:\/\/hooks\.slack\.com\/services\/T\w{1,50}\/B\w{1,50}\/\w{1,100}$/.test(text);
}
