/**
 * Tests that redaction removes every secret planted in hostile texts, at any place and next to any text. The seeds are
 * fixed, and few of them run here. `test/fuzz/redaction.ts` runs a hundred thousand seeds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactText } from '../../../src/intake/redact.ts';
import { clean } from '../../../src/intake/text.ts';
import { hostileText } from '../../helpers/hostile-texts.ts';
import { kindsOf, plant } from '../../helpers/planted-secrets.ts';
import { seeded } from '../../helpers/random.ts';

const scopes = ['text', 'comment'] as const;

test('removes planted secrets from hostile texts', () => {
  for (const scope of scopes) {
    for (let seed = 1; seed <= 1500; seed += 1) {
      const { text, planted, kind } = hostileText(seed, scope, 16_384);
      const redacted = redactText(clean(text), scope);
      for (const { core, kind: secret } of planted) {
        assert.ok(!redacted.includes(core), `${secret} is left in the ${kind} ${scope} of seed ${seed}`);
      }
    }
  }
});

test('removes each kind of secret at edges, in code and across line ends', () => {
  const places: [string, string][] = [
    ['', ''],
    ['\n', '\r\n'],
    ['```\n', '\n```'],
    ['> ', ''],
    ['`', '`'],
    ['- [x] ', ', and more'],
    ['| a | ', ' | b |'],
    ['(', ')'],
    ['**', '**'],
    ['漢字 ', ' 漢字'],
  ];
  for (const scope of scopes) {
    for (const kind of kindsOf(scope)) {
      for (const [i, [before, after]] of places.entries()) {
        const { text, core } = plant(kind, seeded(i));
        // A co-author trailer is redacted only at the start of a line, so other places are skipped.
        if (kind === 'co-author' && !/^(?:|\n|```\n|> )$/.test(before)) continue;
        const redacted = redactText(clean(before + text + after), scope);
        assert.ok(!redacted.includes(core), `${kind} in ${JSON.stringify(before + text + after)}`);
      }
    }
  }
});

test('the check detects a secret that was not removed', () => {
  const { text, core } = plant('card', seeded(1));
  assert.ok(redactText(text, 'text').includes(core), 'a card in a body stands');
});
