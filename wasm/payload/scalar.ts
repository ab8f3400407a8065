/**
 * Checks numbers and the literals `true`, `false` and `null`.
 */

const nullWord: u32 = 0x6c6c756e;
const trueWord: u32 = 0x65757274;
const falsWord: u32 = 0x736c6166;

/** Whether a number or literal begins at `at` and ends before a comma, a closing bracket or a blank. */
export function isScalar(at: usize): bool {
  // The first four bytes as one number. The lowest byte is the first.
  const word = load<u32>(at);
  if (word === nullWord || word === trueWord) return isEnd(load<u8>(at, 4));
  if (word === falsWord) return load<u8>(at, 4) === 0x65 && isEnd(load<u8>(at, 5));
  return isNumber(at);
}

/** Whether a byte can follow a scalar. All blanks are allowed, since control characters are checked elsewhere. */
function isEnd(byte: u32): bool {
  return byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20;
}

function isNumber(at: usize): bool {
  if (load<u8>(at) === 0x2d) at += 1;
  const first = load<u8>(at) as u32;
  if (!isDigit(first)) return false;
  at = first === 0x30 ? at + 1 : afterDigits(at);
  if (load<u8>(at) === 0x2e) {
    at += 1;
    if (!isDigit(load<u8>(at))) return false;
    at = afterDigits(at);
  }
  if ((load<u8>(at) | 0x20) === 0x65) {
    at += 1;
    const sign = load<u8>(at) as u32;
    if (sign === 0x2b || sign === 0x2d) at += 1;
    if (!isDigit(load<u8>(at))) return false;
    at = afterDigits(at);
  }
  return isEnd(load<u8>(at));
}

function afterDigits(at: usize): usize {
  while (isDigit(load<u8>(at))) at += 1;
  return at;
}

function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}
