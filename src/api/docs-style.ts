/** The style of the docs page. It stands inside the page, whose security policy names its hash. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #14171a); --side: light-dark(#f6f5f1, #1c2024);
  --ink: light-dark(#22262a, #e5e5e1); --soft: light-dark(#666a70, #9ba1a7); --line: light-dark(#e1ded6, #2d3338);
  --accent: light-dark(#2f6153, #8fcab5); --code: light-dark(#f6f5f1, #1c2024); font: 16px/1.55 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 20rem minmax(0, 1fr); background: var(--paper); color: var(--ink); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem; background: var(--side);
  border-right: 1px solid var(--line); font-size: .875rem; }
nav a { display: flex; padding: .15rem 0; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { color: var(--accent); text-decoration: underline; }
nav h2 { margin: 1.1rem 0 .2rem; font-size: .875rem; }
nav .home { color: var(--accent); font-size: 1.0625rem; font-weight: 650; }
main { max-width: 56rem; padding: 1.5rem 2rem 6rem; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; }
main > section > h2 { margin: 2.5rem 0 0; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.25rem; }
article { padding: 1.5rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: .5rem; }
article > h3 { margin: 0; font-size: 1.0625rem; overflow-wrap: anywhere; }
article > h3 code { font-size: 1em; }
h4 { margin: 1rem 0 .25rem; font-size: .9375rem; }
p { margin: .35rem 0; white-space: pre-line; }
code, pre { font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: .35rem 0; padding: .75rem 1rem; overflow-x: auto; border-radius: 8px; background: var(--code); }
.method { display: inline-block; min-width: 3.6rem; margin-right: .5rem; color: var(--accent); font-weight: 700; }
nav .method { flex: none; width: 3.6rem; margin: 0; font-size: .75rem; line-height: 1.3rem; }
.fields { margin: .2rem 0; padding-left: 1rem; border-left: 2px solid var(--line); list-style: none; }
.fields li { padding: .15rem 0; overflow-wrap: anywhere; }
.field { font-weight: 600; }
.type { color: var(--accent); font-size: .875rem; }
.limits, .note { color: var(--soft); font-size: .875rem; }
b { color: var(--soft); font-size: .75rem; font-weight: 600; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; border: 0; }
  main { padding: 1rem 1rem 4rem; } }
`;
