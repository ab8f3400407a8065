/** A repository that squashes, so that titles carry numbers and messages list the commits: a shop for printed matter. */
import { between, issue, pull, release, type Style } from './style.ts';

const steps = [
  pull(118, 'Gift cards (#118)', {
    by: 'dunja',
    squashed: '* feat: add gift cards\n\n* review comments\n\n* fix tests\n\nCo-authored-by: Rafe <rafe@mail.example>',
  }),
  pull(119, 'Address form (#96) (#119)', {
    by: 'rafe-t',
    squashed: '* fix: address form loses the house number\n\n* lint',
    linkedIssues: [96],
  }),
  pull(121, 'SHOP-88: show delivery date at checkout (#121)', {
    by: 'dunja',
    squashed: '* wip\n\n* show delivery date\n\n* wip 2',
  }),
  pull(122, 'hotfix/SHOP-91-voucher-twice', { by: 'rafe-t', headRef: 'hotfix/SHOP-91-voucher-twice' }),
  pull(123, 'Feature/shop 93 upload your own paper', {
    by: 'beatriz',
    headRef: 'feature/shop-93-upload-your-own-paper',
  }),
  pull(125, '[SHOP-97] Fix price of `A5` flyers with `count > 5000` (#125)', { by: 'beatriz' }),
  pull(126, 'Checkout: cards expire at the end of the month (#126) [skip ci]', {
    by: 'dunja',
    squashed: '* cards expire at the end of the month',
  }),
  pull(127, 'Checkout: remember the last payment method (#127)', {
    by: 'dunja',
    squashed: '* feat(checkout): remember payment method',
  }),
  pull(128, 'Checkout: show VAT number (#128)', { by: 'rafe-t', headRef: 'fix/vat-number' }),
  pull(129, 'Merge branch develop into main (#129)', { by: 'rafe-t' }),
  pull(131, 'Refactor basket (#131)', { by: 'beatriz', squashed: '* refactor: basket\n\n* more' }),
  pull(132, 'fix: SHOP-99, #117: e-mails in plain text (#132)', { by: 'beatriz' }),
  pull(133, 'Revert "Banner for spring (#130)" (#133)', { by: 'dunja', body: 'Reverts parcel-press/storefront#130' }),
  pull(134, 'prep 3.8.0', { by: 'dunja' }),
];

export const squashes: Style = {
  name: 'squashes',
  memory: release('parcel-press/storefront', ['v3.7.0', 'v3.8.0'], steps, {
    issues: [issue(96, 'House number is lost when I edit my address', { author: { login: 'kundin7', bot: false } })],
  }),
  bounds: between('v3.7.0', 'v3.8.0'),
  breaking: [],
};
