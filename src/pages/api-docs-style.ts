import { TOKENS } from './tokens.ts'

/** Style of the API documentation: one column, from 360 px, light and dark, without fonts to load. */
export const API_DOCS_STYLE = `${TOKENS}
:root {
  --get: var(--good);
  --post: var(--accent);
  --patch: var(--warn);
  --delete: var(--bad);
}
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 var(--sans); overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0; font-weight: 500; }
p { margin: .5rem 0; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; background: var(--raised); padding: .5rem; }
nav { margin-top: 1rem; }
nav > a { display: block; padding: .45rem 0; border-top: 1px solid var(--line); }
nav ul { list-style: none; margin: 0 0 .5rem; padding: 0 0 0 .9rem; font-size: .9rem; }
nav li { margin: .25rem 0; }
.home { display: inline-flex; gap: .5rem; align-items: center; color: var(--ink); font-weight: 600; text-decoration: none; }
code, pre, .type { font: .875em/1.5 var(--mono); }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto; overflow-wrap: normal; }
section > pre { background: var(--raised); }
article { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 0 0 1rem; scroll-margin-top: 1rem; }
.method { display: inline-block; min-width: 4rem; font: 700 .8rem/1.5 var(--mono); }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.summary { font-weight: 600; }
.scope, small, .type, .note { color: var(--quiet); font-weight: 400; }
.note { font-size: .9rem; }
details { border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: .45rem 0; }
.fields { list-style: none; margin: .25rem 0 .5rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.fields li { margin: .2rem 0; }
article > details:last-of-type { margin-bottom: .5rem; }
.codes { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; margin: .25rem 0 .5rem; padding: 0; }
dl { margin: 0 0 .75rem; }
dd { margin: 0 0 .5rem 1rem; }
.problems > div { padding: .35rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: 1rem; }
.problems > div:target { background: color-mix(in srgb, var(--accent) 12%, transparent); }
.problems dd { margin-bottom: 0; }
@media (min-width: 72rem) {
  body { max-width: 80rem; display: grid; grid-template-columns: 18rem minmax(0, 1fr); gap: 0 3rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding-bottom: 2rem; }
}
`
