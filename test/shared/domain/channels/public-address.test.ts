import { expect, it } from 'vitest';
import { addressIn, isPublicAddress } from '#shared/domain/channels/public-address.ts';

it.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001:80e::200e',
])('accepts %s as a public address', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each([
  ['this network', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['a private network', '10.0.0.1'],
  ['a private network', '172.16.0.1'],
  ['a private network', '172.31.255.255'],
  ['a private network', '192.168.1.1'],
  ['a carrier', '100.64.0.1'],
  ['a carrier', '100.127.255.255'],
  ['this machine', '127.0.0.1'],
  ['this machine', '127.255.255.254'],
  ['link-local', '169.254.0.1'],
  ['instance metadata', '169.254.169.254'],
  ['task metadata', '169.254.170.2'],
  ['protocol assignments', '192.0.0.170'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['relays', '192.88.99.1'],
  ['benchmarks', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['the unspecified address', '::'],
  ['this machine', '::1'],
  ['IPv4, mapped', '::ffff:127.0.0.1'],
  ['IPv4, mapped', '::ffff:a9fe:a9fe'],
  ['IPv4, compatible', '::127.0.0.1'],
  ['IPv4, translated', '64:ff9b::10.0.0.1'],
  ['IPv4, translated locally', '64:ff9b:1::8.8.8.8'],
  ['6to4', '2002:7f00:1::'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['a unique local network', 'fc00::1'],
  ['instance metadata', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['no address', 'example.com'],
  ['no address', ''],
  ['no address', '127.1'],
])('rejects an address that is not public (%s): %s', (_what, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each([
  ['https://example.com/', undefined],
  ['https://1.2.3.4.example.com/', undefined],
  ['https://1.2.3.4/', '1.2.3.4'],
  ['https://0x7f000001/', '127.0.0.1'],
  ['https://[::1]/', '::1'],
])('reads the host of the URL %s as the IP address %s', (url, address) => {
  expect(addressIn(new URL(url))).toBe(address);
});
