/** Tests which ticked boxes of a body name kinds of a change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tickedBoxes } from '../../../../src/notes/change/boxes.ts';

/** Returns the kinds of the ticked boxes as one text, such as `breaking fix inside`. */
function ticked(body: string): string | undefined {
  const boxes = tickedBoxes(body);
  return boxes && [...[...boxes.types].sort(), ...(boxes.inside ? ['inside'] : [])].join(' ');
}

test('reads boxes under the headings of many templates', () => {
  for (const heading of [
    '## Type of change',
    '### Types of changes',
    '**Type of PR**',
    'What kind of change does this PR introduce?',
    '## Kind of change',
    '**Change type**:',
    '#### What type of PR is this?',
    'Nature of the change',
  ])
    assert.equal(ticked(`Text\n\n${heading}\n\n- [x] Bug fix\n- [ ] New feature\n`), 'fix', heading);
});

test('reads the words of many templates, with signs and explanations', () => {
  const known: Record<string, string> = {
    'Bug fix (non-breaking change which fixes an issue)': 'fix',
    ':bug: Bugfix': 'fix',
    '✨ New feature': 'feature',
    '**Enhancement**': 'feature',
    Improvement: 'feature',
    'Breaking change (fix or feature that would change something)': 'breaking',
    'This change requires a documentation update': 'documentation',
    Docs: 'documentation',
    'Security fix': 'security',
    Performance: 'performance',
    Refactoring: 'inside',
    'Code style update (formatting)': 'inside',
    'Build related changes': 'inside',
    CI: 'inside',
  };
  for (const [box, kind] of Object.entries(known))
    assert.equal(ticked(`## Type of change\n- [ ] x\n- [X] ${box}`), kind, box);
});

test('reads every usual form of a box', () => {
  for (const box of ['- [x] Fix', '* [X] Fix', '+ [✓] Fix', '1. [✔] Fix', '2) [x] Fix', '[x] Fix', '   - [x]  Fix  '])
    assert.equal(ticked(`## Type of change\r\n\r\n${box}\r\n- [ ] Feature\r\n`), 'fix', box);
});

test('several ticked boxes name several kinds', () => {
  assert.equal(ticked('## Type of change\n- [x] Bug fix\n- [x] Breaking change\n- [ ] Docs'), 'breaking fix');
  assert.equal(ticked('## Type of change\n- [x] Bug fix\n- [x] Tests\n- [ ] Docs'), 'fix inside');
});

test('a template that was ticked as a whole says nothing', () => {
  const four = '## Type of change\n- [x] Bug fix\n- [x] New feature\n- [x] Breaking change\n- [x] Docs';
  assert.equal(ticked(four), undefined);
  assert.equal(ticked(`${four}\n- [ ] CI`), 'breaking documentation feature fix', 'one box is open');
  assert.equal(ticked('## Type of change\n- [x] Bug fix'), 'fix', 'authors remove the other boxes');
});

test('boxes elsewhere, open boxes and unknown boxes say nothing', () => {
  for (const body of [
    '## Checklist\n- [x] Bug fix\n- [ ] x',
    '- [x] Bug fix',
    '## Type of change\n- [ ] Bug fix\n- [ ] New feature',
    '## Type of change\n- [x] Something else\n- [ ] Bug fix',
    '## Type of change\n\nBug fix',
    '## Type of change\n<!-- - [x] Bug fix -->\n- [ ] Docs',
    '## Type of change\n```\n- [x] Bug fix\n```\n',
    '> ## Type of change\n> - [x] Bug fix',
    '',
  ])
    assert.equal(ticked(body), undefined, body);
  assert.equal(ticked('## Type of change\n- [x] Bug fix\n- [ ] x\n## Checklist\n- [x] Docs'), 'fix');
  assert.equal(ticked('## Type of change\n- [x] Bug fix\n- [ ] x\n**Checklist**\n- [x] Docs'), 'fix');
});
