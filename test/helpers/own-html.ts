/** Describes the raw HTML that the service itself writes into drafts. Any other HTML in a draft comes from a text. */

/** Matches one piece of raw HTML that a draft may contain: a marker, a broken mention, or a part of a collapsible block. */
export const ownHtml =
  /^(?:<!-- (?:rn:(?:(?:pr|issue):\d+(?:\.\d+)?|commit:\w{1,12}(?:\.\d+)?) )?-->|<!-- \d+ changes? ha(?:s|ve) no kind yet -->|<!-- only reverts: \d+ -->|<details>\n<summary>\d+ (?:update|change)s?(?: shipped in [^<>\n]*)?<\/summary>\n?|<\/details>\n?)$/;
