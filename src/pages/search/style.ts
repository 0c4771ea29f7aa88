/** Style of the search: the query, its filters, and the results. */
export const SEARCH_STYLE = `
/* Search */
.find { max-width: 48rem; margin: 0 auto; padding: 2rem 1.5rem 5rem; display: grid; gap: 1.25rem; }
.find > * { min-width: 0; }
.find.start { padding-top: clamp(2rem, 12vh, 8rem); }
.find.start h1 { font-size: 1.75rem; }
.search { justify-items: stretch; gap: .75rem; }
.ask { display: flex; gap: .5rem; }
.ask input[type="search"] { flex: 1; min-width: 0; min-height: 2.875rem; padding: .5rem .95rem; border-radius: 10px; font-size: 1.0625rem; }
.ask button { min-height: 2.875rem; padding-inline: 1.25rem; border-radius: 10px; font-size: .9375rem; }
.narrow-by { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; font-size: .875rem; }
.narrow-by label { font-weight: 400; color: var(--quiet); }
.in-project { display: flex; align-items: center; gap: .5rem; min-width: 0; }
.in-project select { width: auto; max-width: 15rem; }
.narrow-by select, .narrow-by input[type="text"] { min-height: 2rem; padding: .2rem .5rem; font-size: .875rem; }
.tick { display: flex; align-items: center; gap: .5rem; }
.tick input { width: 1rem; height: 1rem; margin: 0; accent-color: var(--accent-fill); }
.narrow-by details[open] { flex-basis: 100%; }
.more { display: grid; grid-template-columns: auto minmax(0, 1fr); align-items: center; gap: .5rem .75rem; max-width: 30rem; margin-top: .75rem; }
.more small { display: block; }
.corrected { font-size: 1rem; }
.corrected span { color: var(--quiet); font-size: .875rem; }
.found { color: var(--quiet); font-size: .875rem; }
.results { list-style: none; display: grid; gap: 1.75rem; }
.result { min-width: 0; display: grid; gap: .2rem; }
.result h2 { font-size: 1.0625rem; }
.result h2 a { text-decoration: none; border-radius: 3px; }
.result h2 a:hover { text-decoration: underline; text-decoration-thickness: 1px; }
.where { display: flex; flex-wrap: wrap; gap: 0 .5rem; color: var(--quiet); font-size: .8125rem; }
.where > * + *::before { content: "\\00b7\\00a0\\00a0" / ""; }
.where > :first-child { color: var(--ink); font-weight: 500; }
.path { color: var(--quiet); font-size: .8125rem; }
.excerpt { margin-top: .25rem; display: grid; gap: .2rem; }
.context { color: var(--quiet); font-size: .8125rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; margin-bottom: .2rem; }
mark { background: var(--mark); color: inherit; border-radius: 3px; padding: .05em .1em; margin: 0 -.1em; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.also { margin-top: .15rem; color: var(--quiet); font-size: .8125rem; }
.pages { display: flex; gap: .625rem; margin-top: .75rem; }
.welcome { display: grid; gap: 1.5rem; color: var(--quiet); font-size: .875rem; }
.operators { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; }
.operators code { color: var(--ink); }
.first pre { max-width: 100%; text-align: start; white-space: pre-wrap; }
.empty p strong { color: var(--ink); font-weight: 500; }
.advice { display: grid; gap: .25rem; font-size: .875rem; }
@media (max-width: 34rem) {
  .find { padding: 1.25rem 1rem 4rem; }
  .find.start { padding-top: 2rem; }
  .ask button { padding-inline: .95rem; }
  .more { grid-template-columns: minmax(0, 1fr); gap: .25rem; }
  .more > :is(select, input) + label { margin-top: .5rem; }
  .operators { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .operators dt + dd { margin-bottom: .5rem; }
}
`
