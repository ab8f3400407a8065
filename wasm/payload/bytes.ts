/**
 * Names the bytes of JSON's grammar.
 */
export const tab: u8 = 0x09;
export const lineFeed: u8 = 0x0a;
export const carriageReturn: u8 = 0x0d;
export const space: u8 = 0x20;
export const quote: u8 = 0x22;
export const plus: u8 = 0x2b;
export const comma: u8 = 0x2c;
export const minus: u8 = 0x2d;
export const point: u8 = 0x2e;
export const slash: u8 = 0x2f;
export const zero: u8 = 0x30;
export const colon: u8 = 0x3a;
export const openBracket: u8 = 0x5b;
export const backslash: u8 = 0x5c;
export const closeBracket: u8 = 0x5d;
export const openBrace: u8 = 0x7b;
export const closeBrace: u8 = 0x7d;
/** The last control character. None is allowed within a string. */
export const lastControl: u8 = 0x1f;

/**
 * The bit in which braces differ from square brackets, and small letters from capital ones. With this bit, the opening
 * bracket equals the opening brace, and `E` equals `e`.
 */
export const bit5: u8 = 0x20;

export function isBlank(byte: u32): bool {
  return byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;
}

export function isDigit(byte: u32): bool {
  return byte - zero < 10;
}

/** Whether a bracket or brace opens a container. The byte may be any other byte too. */
export function isOpening(byte: u32): bool {
  return (byte | bit5) === openBrace;
}

/** Whether a bracket or brace closes a container. The byte may be any other byte too. */
export function isClosing(byte: u32): bool {
  return (byte | bit5) === closeBrace;
}
