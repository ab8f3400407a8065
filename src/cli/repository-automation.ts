/**
 * `tidings repos automation`: shows the automation rule of a repository with its newest runs, replaces the rule with
 * that in a JSON file, or switches it off.
 */
import { automationOf, setAutomation, toRule } from '../api/automation.ts';
import { withService } from './connection.ts';
import { printJson } from './json.ts';
import { readJsonFile } from './json-file.ts';
import { findRepository } from './repository.ts';
import type { repositoriesEntry } from './table/access.ts';
import { type Runs, UsageError } from './usage.ts';

export const runAutomation: Runs<typeof repositoriesEntry>['automation'] = async (
  { off = false },
  [wanted = '', file],
) => {
  if (off && file !== undefined)
    throw new UsageError(`--off writes a rule of its own, so it cannot be used together with the argument ${file}`);
  const given = file === undefined ? undefined : readJsonFile(file);
  const rule = off ? toRule({}) : given === undefined ? undefined : toRule(given);
  return withService(async (context) => {
    const { id } = findRepository(context.readers, wanted);
    if (rule) await setAutomation(context, id, rule);
    return printJson(automationOf(context, id));
  });
};
