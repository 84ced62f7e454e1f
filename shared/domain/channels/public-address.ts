import { BlockList, isIP } from 'node:net';

/**
 * The whole IPv4 range, and the global unicast range of IPv6, which excludes mapped and translated
 * IPv4 addresses.
 */
const UNICAST = ['0.0.0.0/0', '2000::/3'];

/** Special-purpose addresses in these ranges (RFC 6890 and its successors). */
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Protocol assignments including Teredo; documentation; 6to4.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

/**
 * Created on first use, because creating it takes milliseconds and most invocations check no
 * address.
 */
let blocks: { readonly unicast: BlockList; readonly special: BlockList } | undefined;

/** Whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  blocks ??= { unicast: blockOf(UNICAST), special: blockOf(SPECIAL) };
  return blocks.unicast.check(address, family) && !blocks.special.check(address, family);
}

/** The IP address in a URL; undefined if the URL has a host name. */
export function addressIn({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

function blockOf(subnets: readonly string[]): BlockList {
  const block = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    block.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return block;
}
