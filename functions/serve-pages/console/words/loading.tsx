/** Until the first answer is there. */
export function Loading() {
  return (
    <p class="empty" role="status">
      Loading…
    </p>
  );
}
