/** Contains the script and the style of the page at `/docs`. The other files of the page are from swagger-ui-dist. */

/**
 * Script that starts the page. No online validator is used, since it would receive the document's address. The browser
 * does not store API keys. Light or dark mode follows the reader's system. The script replaces the package's filter,
 * which searches only tags. The new filter also searches paths, summaries and operation ids.
 */
export const referenceScript = `const matches = (phrase, ...texts) =>
  texts.some((text) => String(text).toLowerCase().includes(phrase.toLowerCase()));
const filterOperations = (tags, phrase) =>
  tags
    .map((tag, name) =>
      matches(phrase, name)
        ? tag
        : tag.update('operations', (operations) =>
            operations.filter((each) =>
              matches(phrase, each.get('path'), each.getIn(['operation', 'summary']), each.getIn(['operation', 'operationId'])),
            ),
          ),
    )
    .filter((tag) => tag.get('operations').size > 0);
// A link inside the button that opens an operation could not be reached by keyboard, so it becomes plain text.
const plainInButtons = (DeepLink, { React }) => (props) =>
  props.path.includes('/') ? React.createElement('span', { className: 'nostyle' }, props.text) : React.createElement(DeepLink, props);
// Adds names for screen readers to lists without one, and lets the keyboard scroll long texts.
const mend = () => {
  for (const list of document.querySelectorAll('select:not([aria-label])')) {
    const parameter = list.closest('[data-param-name]')?.dataset.paramName;
    list.setAttribute('aria-label', parameter ?? (list.id === 'servers' ? 'Server' : 'Media type'));
  }
  for (const text of document.querySelectorAll('pre.microlight:not([tabindex])')) text.tabIndex = 0;
};
new MutationObserver(mend).observe(document.getElementById('reference'), { childList: true, subtree: true });
SwaggerUIBundle({
  url: 'api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => ({ fn: { opsFilter: filterOperations }, wrapComponents: { DeepLink: plainInButtons } })],
});
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

/**
 * Style of the page. It hides the column for links, which is always empty and makes the page wider than a narrow
 * window. The colors are those of the package, made darker or lighter until their contrast with the background is at
 * least 4.5.
 */
export const referenceStyle = `.swagger-ui .response-col_links { display: none; }
.swagger-ui .responses-inner pre { overflow-wrap: anywhere; white-space: pre-wrap; }
html.dark-mode .swagger-ui .headers td { color: #e4e6e6; }
.swagger-ui .info .title small { background: #5a6170; }
.swagger-ui .info .title small.version-stamp { background: #466302; }
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header { background: #7a4229; }
html:not(.dark-mode) .swagger-ui .renderedMarkdown code { color: #7a0bd9; }
html:not(.dark-mode) .swagger-ui .parameter__in { color: #5c5c5c; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #1b6e3c; color: #1b6e3c; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1b6e3c; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1a5fb4; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #1b6e3c; }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0e6b5c; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #8a5200; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
html:not(.dark-mode) .swagger-ui :is(.info .url, .info a, .renderedMarkdown a) { color: #0b57b7; }
.swagger-ui .microlight span[style*='rgb(211, 99, 99)'] { color: #ff9d9d !important; }
.documents { display: flex; flex-wrap: wrap; gap: 1.5rem; max-width: 1460px; margin: 0 auto; padding: 1rem 20px 0; font: 1rem system-ui, sans-serif; }
.documents a { color: #0b57b7; }
html.dark-mode .documents a { color: #7db4ff; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag > a { flex: 1; }
  .swagger-ui .opblock-tag > small { flex: 1 0 100%; order: 1; padding: 0; }
}
`;
