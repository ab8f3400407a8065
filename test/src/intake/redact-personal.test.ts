/** Tests the redaction of personal data in comments. Harmless texts that look similar must stay. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactText } from '../../../src/intake/redact.ts';

type Table = readonly (readonly [before: string, after: string])[];

function assertComments(table: Table): void {
  for (const [before, after] of table) assert.equal(redactText(before, 'comment'), after);
}

function assertKept(texts: readonly string[]): void {
  for (const text of texts) assert.equal(redactText(text, 'comment'), text);
}

test('removes e-mail addresses in every spelling', () => {
  const addresses = ['jo@example.org', 'Jo.Doe+tag@Example.CO.UK', '"jo doe"@example.org', 'jürgen@müller.de'];
  addresses.push('12+jo@users.noreply.github.com', 'jo%40example.org', 'jo&#64;example.org', 'jo_d-e@a-b.example');
  for (const address of addresses) {
    assertComments([
      [`write to ${address}.`, 'write to [email].'],
      [`<${address}>, (${address})`, '<[email]>, ([email])'],
      [`[mail](mailto:${address})`, '[mail](mailto:[email])'],
      [`\`\`\`\n${address}\n\`\`\``, '```\n[email]\n```'],
    ]);
  }
});

test('keeps handles, versions and clone addresses', () => {
  assertKept([
    '@handle, @org/team and thanks @jo-doe!',
    'fastify@4.0.0-rc.one, @scope/name@1.2.3, actions/checkout@v4, image@sha256:abc',
    'git clone git@github.com:owner/name.git',
    'icon@2x.png, getty@tty1.service, a@b, jo [at] example',
  ]);
});

test('removes international phone numbers', () => {
  const numbers = ['+1-202-555-0117', '+1 (415) 555-0179', '+44 20 7946 0978', '+49 30 23125 038', '+12025550117'];
  numbers.push('+49 (0)30 23125038', '0049 30 23125038', '+33.1.23.45.67.89', '+55 (11) 91234-5678', '+1 555 555 0100');
  for (const number of numbers) {
    assertComments([
      [`call ${number}.`, 'call [phone].'],
      [`tel:${number}, "\\n${number}"`, 'tel:[phone], "\\n[phone]"'],
      [`电话${number}谢谢`, '电话[phone]谢谢'],
    ]);
  }
});

test('removes national phone numbers with separators, others only after an announcing word', () => {
  const numbers = ['(415) 555-0179', '415-555-0179', '415.555.0179', '1-800-555-0199', '030 23125 038', '0171-2345678'];
  numbers.push('(030) 23125038', '030/23125038', '030 / 2312 5038', '01 23 45 67 89', '138 1234 5678', '555-0123');
  numbers.push('07700 900123', '415-555-0179 x22');
  for (const number of numbers) assertComments([[`or ${number}, thanks`, 'or [phone], thanks']]);
  assertComments([
    ['Phone: 2025550117', 'Phone: [phone]'],
    ['fax no 5550117', 'fax no [phone]'],
    ['call me at 2025550117', 'call me at [phone]'],
  ]);
});

test('keeps dates, times, numbers and codes', () => {
  assertKept([
    '2024-01-15 10:30:00 +0100, 2024-01-15T10:30:00.000Z, 15.01.2024, 01/02/2023, 01-02-2023 10:30',
    '+2023-01-15 10 is a line of a diff; +10 -200; +1,234; 1 + 2345678',
    '#123, #4567890123, 1.20.300, 0.123456789, 1-2-3, 100 000 000, $415-555-0179',
    '123e4567-e89b-12d3-a456-426614174000, 02110-1301, v0.0.0-20230101120000-abcdef123456',
    '3f786850e387550fdab836ed7e6dc881de23001b, 0040030443, 0040030443ab',
    'call 1234567 times, 1700000000000, 1700000000000000000, run 9876543210',
  ]);
});

test('removes card numbers with a valid check digit', () => {
  assertComments([
    ['4111 1111 1111 1111', '[card]'],
    ['4111-1111-1111-1111 12/27 123', '[card] 12/27 123'],
    ['card 378282246310005, 3782 822463 10005.', 'card [card], [card].'],
    ['1 5555.5555.5555.4444', '1 [card]'],
  ]);
  assertKept([
    '4111 1111 1111 1112',
    '1234567890123452',
    'a4111111111111111',
    '4111111111111111b',
    '#4111111111111111',
  ]);
  assertKept(['2463600.840365 ops', '41111111111111114111111111111111']);
});

test('removes IPv4 addresses and keeps versions', () => {
  assertComments([
    ['from 10.0.0.1, http://192.168.0.1:8080/x', 'from [ip], http://[ip]:8080/x'],
    ['10.0.0.0/24 (203.0.113.7).', '[ip]/24 ([ip]).'],
    ['<10.0.0.1> <td>10.0.0.1</td>', '<[ip]> <td>[ip]</td>'],
    ['地址10.0.0.1是 host=1.2.3.4', '地址[ip]是 host=[ip]'],
  ]);
  assertKept([
    'v1.2.3.4, version 1.2.3.4, Version: 1.2.3.4, release 1.2.3.4 and the 1.2.3.4 release',
    '1.2.3.400, 1.2.3, 1.2.3.4.5, 1.2.3.4-rc1, name==1.2.3.4, tool-1.2.3.4.tar.gz, section 4.2.1.3',
  ]);
});

test('removes IPv6 addresses and keeps times and paths of code', () => {
  assertComments([
    ['fe80::1%eth0 and ::1', '[ip] and [ip]'],
    ['[2001:DB8::1]:443, 2001:db8::8a2e:370:7334.', '[[ip]]:443, [ip].'],
    ['::ffff:10.0.0.1 2001:0db8:85a3:0000:0000:8a2e:0370:7334', '[ip] [ip]'],
  ]);
  assertKept(['12:30:45, 12:30:45.123, std::vec, a::b, de::add, ::, x::1', '00:1a:2b:3c:4d:5e']);
});

test('removes uploaded files on any host together with their link', () => {
  assertComments([
    ['![shot](https://github.com/user-attachments/assets/1b-2c) done', '[attachment] done'],
    ['<img src="https://ghe.example/user-attachments/assets/1b">', '<img src="[attachment]">'],
    ['https://user-images.githubusercontent.com/1/2-3.png', '[attachment]'],
    ['https://private-user-images.githubusercontent.com/1/2.png?jwt=x', '[attachment]'],
    ['[log.txt](https://github.com/o/r/files/1234567/log.txt)', '[attachment]'],
    ['![a](/attachments/123e4567-e89b-12d3-a456-426614174000)![b](x.png)', '[attachment]![b](x.png)'],
  ]);
  assertKept(['![logo](https://example.org/logo.png) [docs](https://example.org/files/12)']);
});
