/**
 * Reads the metrics, label matchers and grouping labels in a PromQL expression, for tests of alert rules and
 * dashboards.
 */

/** A metric name with its label matchers. */
export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** The metrics and labels that an expression names. */
export interface Named {
  selectors: Selector[];
  /** Labels in `by`, `without`, `on`, `ignoring`, `group_left` and `group_right`. */
  grouped: string[];
}

interface Token {
  kind: 'name' | 'text' | 'number' | 'sign';
  text: string;
}

const pattern =
  /\s+|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<name>[A-Za-z_:][\w:]*)|(?<number>\d[\w.]*|\.\d+)|(?<sign>=~|!~|!=|==|<=|>=|\$\w+|[-+*/%^<>=(){}[\],@])/gy;

const grouping = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const keywords = new Set(['and', 'or', 'unless', 'offset', 'bool', 'atan2', 'inf', 'nan']);

/**
 * Returns the metrics and labels that an expression names. Dashboard variables such as `$partition` count as values.
 * @throws Error for a text in which the names cannot be recognized; some invalid expressions are accepted
 */
export function namesIn(expression: string): Named {
  const tokens = tokensOf(expression);
  const named: Named = { selectors: [], grouped: [] };
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text } = tokens[i] as Token;
    if (text === '[') i = indexOf(tokens, ']', i);
    else if (text === '{') throw new Error(`a selector without a metric in ${expression}`);
    if (kind !== 'name' || keywords.has(text.toLowerCase())) continue;
    const next = tokens[i + 1]?.text;
    if (grouping.has(text)) {
      if (next !== '(') continue;
      const end = indexOf(tokens, ')', i);
      named.grouped.push(...tokens.slice(i + 2, end).flatMap((token) => (token.kind === 'name' ? [token.text] : [])));
      i = end;
    } else if (next === '{') {
      const end = indexOf(tokens, '}', i);
      named.selectors.push({ metric: text, matchers: matchersOf(tokens.slice(i + 2, end), expression) });
      i = end;
    } else if (next !== '(' && !(next !== undefined && grouping.has(next))) {
      named.selectors.push({ metric: text, matchers: [] });
    }
  }
  return named;
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < expression.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(expression)?.groups;
    if (!groups) throw new Error(`not PromQL from character ${at} on: ${expression}`);
    for (const kind of ['text', 'name', 'number', 'sign'] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text });
    }
  }
  return tokens;
}

function matchersOf(tokens: readonly Token[], expression: string): Selector['matchers'] {
  const matchers: Selector['matchers'] = [];
  for (let i = 0; i < tokens.length; i += 4) {
    const [label, operator, value] = tokens.slice(i, i + 3);
    const isMatcher = label?.kind === 'name' && /^(=|!=|=~|!~)$/.test(operator?.text ?? '') && value?.kind === 'text';
    if (!isMatcher) throw new Error(`not a label matcher in ${expression}`);
    matchers.push({ label: label.text, operator: operator?.text ?? '', value: value.text.slice(1, -1) });
  }
  return matchers;
}

function indexOf(tokens: readonly Token[], text: string, from: number): number {
  const at = tokens.findIndex((token, i) => i > from && token.text === text);
  if (at < 0) throw new Error(`no ${text} after token ${from}`);
  return at;
}
