/**
 * Tests the form of a repository in API replies: the host's number of the repository is an integer, or is omitted if
 * the host sent no number.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRepository } from '../../../../src/api/samples.ts';
import { directoryRepositoryResponse } from '../../../../src/store/tables/directory.ts';
import { faultOf, openApi } from '../../../helpers/contract.ts';

const { Repository } = openApi.components.schemas;

test('a repository without a number from its host has no scmRepoId', () => {
  const numbered = directoryRepositoryResponse({ ...sampleRepository, hostId: '1001' });
  const named = directoryRepositoryResponse({ ...sampleRepository, hostId: 'name:acme/rocket' });
  assert.equal(numbered.scmRepoId, 1001);
  assert.ok(!('scmRepoId' in named), JSON.stringify(named));
  for (const reply of [numbered, named]) assert.equal(faultOf(Repository, { ...reply, lastEventAt: null }), undefined);
});

test('the schema declares scmRepoId as an optional integer', () => {
  assert.equal(Repository.properties.scmRepoId.type, 'integer');
  assert.ok(!Repository.required.includes('scmRepoId'));
});
