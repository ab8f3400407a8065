/**
 * Checks numbers and the literals `true`, `false` and `null`.
 */

import { bit5, closeBrace, closeBracket, comma, isDigit, minus, plus, point, space, zero } from './bytes';

const nullWord: u32 = 0x6c6c756e;
const trueWord: u32 = 0x65757274;
const falsWord: u32 = 0x736c6166;
const smallE: u8 = 0x65;

/** Whether a number or literal begins at `at` and ends before a comma, a closing bracket or a blank. */
export function isScalar(at: usize): bool {
  // The first four bytes as one number. The lowest byte is the first.
  const word = load<u32>(at);
  if (word === nullWord || word === trueWord) return isEnd(load<u8>(at, 4));
  if (word === falsWord) return load<u8>(at, 4) === smallE && isEnd(load<u8>(at, 5));
  return isNumber(at);
}

/** Whether a byte can follow a scalar. All blanks are allowed, since control characters are checked elsewhere. */
function isEnd(byte: u32): bool {
  return byte === comma || byte === closeBrace || byte === closeBracket || byte <= space;
}

function isNumber(at: usize): bool {
  if (load<u8>(at) === minus) at += 1;
  const first = load<u8>(at) as u32;
  if (!isDigit(first)) return false;
  at = first === zero ? at + 1 : afterDigits(at);
  if (load<u8>(at) === point) {
    at += 1;
    if (!isDigit(load<u8>(at))) return false;
    at = afterDigits(at);
  }
  if ((load<u8>(at) | bit5) === smallE) {
    at += 1;
    const sign = load<u8>(at) as u32;
    if (sign === plus || sign === minus) at += 1;
    if (!isDigit(load<u8>(at))) return false;
    at = afterDigits(at);
  }
  return isEnd(load<u8>(at));
}

function afterDigits(at: usize): usize {
  while (isDigit(load<u8>(at))) at += 1;
  return at;
}
