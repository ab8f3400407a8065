/**
 * Tests that the OpenAPI document passes the linters that users run on it: Spectral with its OpenAPI rules, and
 * Redocly.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { openApiDocument } from '../../../src/api/openapi.ts';
import { apiRoutes } from '../../../src/api/routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read as whatever it is
type Document = any;

const documents = {
  'without a public address': JSON.stringify(openApiDocument(apiRoutes)),
  'with a public address': JSON.stringify(openApiDocument(apiRoutes, 'https://notes.acme.example')),
};

/** Returns the errors and warnings of Spectral. */
async function spectralFindings(text: string): Promise<string[]> {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({
    extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']],
    rules: {
      'oas3-parameter-description': 'warn',
      // OpenAPI 3.1 allows scopes with a bearer key, and our document uses them. This rule applies OpenAPI 3.0, which
      // does not allow such scopes.
      'oas3-operation-security-defined': 'off',
    },
  });
  const results = await spectral.run(text);
  return results.map(({ code, message, path }) => `${code}: ${message} at ${path.join('/')}`);
}

/** Returns the errors and warnings of Redocly. */
async function redoclyFindings(text: string): Promise<string[]> {
  // The operation that returns this document needs no key, body or parameter, so it has no 4xx response.
  const config = await createConfig({ extends: ['recommended'], rules: { 'operation-4xx-response': 'off' } });
  const problems = await lintFromString({ source: text, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

for (const [name, text] of Object.entries(documents)) {
  test(`Spectral finds nothing in the document ${name}`, async () => {
    assert.deepEqual(await spectralFindings(text), []);
  });

  test(`Redocly finds nothing in the document ${name}`, async () => {
    assert.deepEqual(await redoclyFindings(text), []);
  });
}

test('both linters report faults of a broken document', async () => {
  const document: Document = openApiDocument(apiRoutes);
  document.components.schemas.NotesSettings.properties.titles.default = {};
  document.tags[0].description = '';
  delete document.components.parameters.RequestId.schema;
  const text = JSON.stringify(document);
  const spectral = await spectralFindings(text);
  assert.ok(
    spectral.some((finding) => /^oas3-valid-schema-example: .*NotesSettings/.test(finding)),
    String(spectral),
  );
  const redocly = await redoclyFindings(text);
  assert.ok(
    redocly.some((finding) => finding.startsWith('tag-description')),
    String(redocly),
  );
});
