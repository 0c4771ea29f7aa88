/** Style of the search: the query, its filters, and the results. */
export const SEARCH_STYLE = `
/* Search */
.find { max-width: 52rem; margin: 0 auto; padding: 1rem 1.5rem 5rem; display: grid; gap: .75rem; }
.find > *, .browse > *, .answers > * { min-width: 0; }
.find.start { max-width: 48rem; padding-top: clamp(2rem, 12vh, 8rem); gap: 1.25rem; }
.find.start h1 { font-size: 1.75rem; }
.search { justify-items: stretch; gap: .75rem; }
.ask { display: flex; flex-wrap: wrap; gap: .5rem; }
.ask > input { flex: 1 1 14rem; min-width: 0; min-height: 2.5rem; padding: .4rem .9rem; border-radius: 10px; font-size: 1rem; }
.ask button { min-height: 2.5rem; padding-inline: 1.25rem; border-radius: 10px; }
.in-project { min-width: 0; }
.in-project select { width: auto; max-width: 12rem; min-height: 2.5rem; font-size: .875rem; }
.browse { display: grid; gap: .75rem; }
.answers { display: grid; gap: .5rem; }
.narrow { display: flex; flex-wrap: wrap; gap: .375rem .75rem; align-items: start; min-width: 0; }
.chips { display: flex; flex-wrap: wrap; gap: .375rem; min-width: 0; }
.chips li { min-width: 0; max-width: 100%; }
.chip { display: inline-block; max-width: 100%; padding: .15rem .6rem; border: 1px solid var(--line-button); border-radius: 99px; background: var(--raised); color: var(--ink);
  font-size: .8125rem; text-decoration: none; }
.chip:hover { border-color: var(--accent); }
.chip span { color: var(--quiet); }
.chip::after { content: "\\00a0\\00d7" / ""; color: var(--quiet); }
.facets { flex: 1 1 8rem; min-width: 0; }
.facets[open] { flex-basis: 100%; }
.facet-groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 12rem), 1fr)); gap: .875rem 1.5rem; padding-top: .5rem; }
.facet-groups > * { min-width: 0; }
.facet-groups h2 { color: var(--quiet); font-size: .75rem; font-weight: 600; letter-spacing: .02em; }
.facet-groups li a { display: flex; justify-content: space-between; gap: .5rem; padding: .1rem .4rem; margin: 0 -.4rem; border-radius: 6px; color: var(--ink); font-size: .8125rem; text-decoration: none; }
.facet-groups li a:hover { background: var(--sunken); }
.facet-groups li a[aria-current] { background: color-mix(in srgb, var(--accent) 11%, transparent); font-weight: 600; outline: 1px solid transparent; }
.facet-groups li span { color: var(--quiet); font-variant-numeric: tabular-nums; font-weight: 400; }
.more-filters summary { font-size: .8125rem; }
.more { display: grid; gap: .25rem; margin-top: .5rem; max-width: 30rem; }
.more label { font-size: .8125rem; font-weight: 400; color: var(--quiet); }
.more small { display: block; font-size: .75rem; }
.more :is(input, select) { min-height: 2rem; padding: .2rem .5rem; font-size: .875rem; }
.more button { justify-self: start; margin-top: .375rem; }
.save-search form { grid-template-columns: minmax(0, 20rem) auto; align-items: end; gap: .5rem; margin-top: .5rem; }
.corrected { font-size: .9375rem; }
.corrected span { color: var(--quiet); font-size: .875rem; }
.toolbar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .125rem 1rem; }
.found { color: var(--quiet); font-size: .8125rem; }
.order { display: flex; flex-wrap: wrap; gap: 0 .125rem; font-size: .8125rem; }
.order a { padding: 0 .4rem; border-radius: 6px; color: var(--quiet); text-decoration: none; }
.order a:hover { color: var(--ink); text-decoration: underline; }
.order a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: underline; text-decoration-color: var(--accent); text-decoration-thickness: 2px; }
.order .gap { width: .75rem; }
.results { list-style: none; display: grid; gap: .375rem; }
.result { min-width: 0; display: grid; gap: .1rem; padding: .35rem .75rem .4rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
.result > * { min-width: 0; }
.result-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; }
.result h2 { min-width: 0; font-size: .9375rem; text-wrap: wrap; }
.result h2 a { text-decoration: none; border-radius: 3px; }
.result h2 a:hover { text-decoration: underline; text-decoration-thickness: 1px; }
.folder { color: var(--quiet); font-weight: 400; }
.where { display: flex; flex-wrap: wrap; gap: 0 .4rem; min-width: 0; color: var(--quiet); font-size: .8125rem; }
.where > * + *::before { content: "\\00b7\\00a0" / ""; }
.where a { color: var(--quiet); }
.path { color: var(--quiet); font-size: .75rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.excerpt { font-size: .875rem; line-height: 1.35; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.hits { display: grid; margin-top: .15rem; }
.hits li { display: flex; gap: .5rem; align-items: baseline; min-width: 0; font-size: .8125rem; line-height: 1.35; }
.hits a { flex: none; min-width: 4.25rem; font-size: .75rem; }
.row-end { color: var(--quiet); }
.hits .excerpt { display: block; min-width: 0; color: var(--quiet); font-size: inherit; white-space: nowrap; text-overflow: ellipsis; }
.hits mark { color: var(--ink); }
mark { background: var(--mark); color: inherit; border-radius: 3px; padding: .05em .1em; margin: 0 -.1em; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.also, .as-command { margin-top: .15rem; color: var(--quiet); font-size: .8125rem; }
.as-command code { user-select: all; }
@media (min-width: 70rem) {
  [data-frame="with-filters"] :is(.find, .bar-inner) { max-width: 76rem; }
  .browse { grid-template-columns: 13rem minmax(0, 1fr); gap: 1.5rem; align-items: start; }
  .narrow { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; }
  .facet-groups { grid-template-columns: minmax(0, 1fr); padding-top: 0; }
  /* Without scripts, only this opens the filters in a wide window. Other browsers show the summary. */
  @supports selector(::details-content) {
    .facets > summary { display: none; }
    .facets::details-content { content-visibility: visible; }
  }
}
.pages { display: flex; gap: .625rem; margin-top: .75rem; }
.welcome { display: grid; gap: 1.5rem; color: var(--quiet); font-size: .875rem; }
.operators { display: grid; grid-template-columns: fit-content(10rem) 1fr; gap: .35rem 1rem; }
.operators code { color: var(--ink); }
.states { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
:is(.welcome, .saved) h2 { font-size: .875rem; color: var(--ink); }
.recent { display: grid; gap: .15rem; margin-top: .25rem; }
.recent a { text-decoration: none; }
.recent a:hover { text-decoration: underline; }
.first pre { max-width: 100%; text-align: start; white-space: pre-wrap; }
.empty p strong { color: var(--ink); font-weight: 500; }
.advice { display: grid; gap: .25rem; font-size: .875rem; }
@media (max-width: 34rem) {
  .find { padding: 1rem 1rem 4rem; }
  .find.start { padding-top: 2rem; }
  .ask > input { flex-basis: 100%; }
  .in-project { flex: 1; }
  .in-project select { width: 100%; max-width: none; }
  .excerpt { -webkit-line-clamp: 4; }
  .operators { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .operators dt + dd { margin-bottom: .5rem; }
}
`
