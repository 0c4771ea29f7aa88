/** Style of a document: its text, the passage, and next to it the original if there is room. */
export const DOCUMENT_STYLE = `
/* Document */
.document { max-width: 50rem; margin: 0 auto; padding: 1.75rem 1.5rem 5rem; display: grid; gap: 1.25rem; }
.document > * { min-width: 0; }
.about { display: grid; gap: .85rem; }
.about .back { margin-bottom: -.5rem; }
.about .buttons { flex: 0 1 auto; }
.document .text { display: grid; gap: 1rem; scroll-margin-top: 4.5rem; }
.sheet { padding: 1.75rem clamp(1.125rem, 4vw, 2.5rem); background: var(--raised); border: 1px solid var(--line); border-radius: 12px;
  display: grid; gap: .85rem; line-height: 1.65; }
.sheet > * { min-width: 0; }
.document .notice { display: grid; gap: .25rem; }
.reading-bar { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .9rem; padding: .5rem 0;
  background: var(--ground); border-bottom: 1px solid var(--line); color: var(--quiet); font-size: .875rem; }
.reading-name { color: var(--ink); font-weight: 600; max-width: 18rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.to-results { max-width: 16rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.to-results::before { content: "← " / ""; }
.hit-links { display: flex; align-items: center; gap: .4rem; }
.reading-bar :is(button, .button) { min-height: 2rem; padding: .2rem .7rem; font-size: .8125rem; }
.reading-bar .tools { margin-inline-start: auto; }
.reading-bar .tools[open] { flex-basis: 100%; }
.reading-bar summary { cursor: pointer; padding: .3rem .2rem; }
.reading-bar .panel { display: grid; gap: .85rem; padding: .75rem 0 .5rem; max-height: 60vh; overflow: auto; }
.find-words { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; }
.find-words input { flex: 1 1 10rem; min-width: 0; min-height: 2rem; padding: .2rem .5rem; }
.reading-bar .cite { display: grid; gap: .3rem; justify-items: start; }
.reading-bar textarea { width: 100%; font-size: .8125rem; }
.reading-bar .originals { display: flex; gap: 1rem; }
.page-strip ol { display: flex; gap: 1px; list-style: none; padding: 0; }
.page-strip li { flex: 1 1 0; min-width: 0; }
.page-strip a { position: relative; display: block; height: 1.5rem; border: 1px solid var(--line-input); background: var(--raised); }
.page-strip .no-text { background: repeating-linear-gradient(45deg, var(--line) 0 2px, var(--raised) 2px 5px); }
.page-strip .warned { background: repeating-linear-gradient(45deg, var(--warn) 0 2px, var(--raised) 2px 5px); }
.page-strip .has-hits::after { content: ""; position: absolute; inset: auto 20% 2px; border-top: 4px solid var(--accent); }
.page-strip [aria-current] { border: 2px solid var(--ink); }
.page-number { scroll-margin-top: 4.5rem; margin: -.75rem 0 -.25rem; color: var(--quiet); font-size: .75rem; font-weight: 500; letter-spacing: .02em; text-align: end; }
.block { white-space: pre-line; }
.quote { display: grid; gap: .85rem; margin: 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line-input); color: var(--quiet); }
.quote > * { min-width: 0; }
.quote mark { color: var(--ink); }
.heading-1, .heading-2, .heading-3 { font-weight: 600; line-height: 1.35; }
.heading-1 { font-size: 1.1875rem; letter-spacing: -.011em; }
.heading-2 { font-size: 1.0625rem; }
.block + .heading-1, .block + .heading-2 { margin-top: .6rem; }
.list-item { padding-inline-start: 1rem; }
.list-item.depth-2 { padding-inline-start: 2rem; }
.list-item.depth-3 { padding-inline-start: 3rem; }
.cells { overflow-x: auto; }
.cells table { border-collapse: collapse; min-width: 100%; font-size: .875rem; line-height: 1.45; font-variant-numeric: tabular-nums; }
.cells :is(td, th) { padding: .3rem .75rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; white-space: pre-line; overflow-wrap: normal; }
.cells :is(td, th):first-child { padding-inline-start: .5rem; }
.cells th { color: inherit; font-size: inherit; font-weight: 600; vertical-align: bottom; }
.cells .row-number { width: 1px; color: var(--quiet); font-size: .75rem; font-weight: 400; line-height: 1.269rem; text-align: end; vertical-align: top;
  user-select: none; }
.cells thead .row-number { vertical-align: bottom; }
.cells .label td { font-weight: 500; }
.cells .figure { text-align: end; white-space: nowrap; }
.cells tr.hit > :first-child { border-inline-start: 3px solid var(--accent); padding-inline-start: calc(.5rem - 3px); }
pre.block { white-space: pre-wrap; overflow-wrap: anywhere; }
.block.hit { position: relative; }
.block.hit::before { content: ""; position: absolute; inset-block: 0; inset-inline-start: -.875rem; width: 3px; background: var(--accent); }
.block.hit + .block.hit::before { inset-block-start: -.85rem; }
mark.passage { background: var(--passage); padding: .2em 0; margin: 0; border-radius: 2px; }
#passage { scroll-margin-top: 25vh; }
.part-links { display: flex; flex-wrap: wrap; align-items: center; gap: .625rem 1rem; color: var(--quiet); font-size: .875rem; }
.part-links .go { display: flex; align-items: center; gap: .5rem; }
.part-links .go input { width: 4rem; min-height: 2rem; padding: .2rem .5rem; font-size: .875rem; text-align: end; }
.part-links label { font-weight: 400; }
.part-links :is(button, .button) { min-height: 2rem; padding: .25rem .7rem; font-size: .8125rem; }
.view-tabs { display: flex; gap: 1.25rem; border-bottom: 1px solid var(--line); }
.view-tabs a { padding: .4rem .1rem; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; }
.view-tabs a[aria-current] { color: var(--ink); font-weight: 600; border-bottom-color: var(--accent); }
.original { display: grid; gap: .75rem; align-content: start; scroll-margin-top: 4.5rem; }
.original > * { min-width: 0; }
.page-bar, .page-bar .go, .zoom { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; color: var(--quiet); font-size: .875rem; }
.page-bar label { font-weight: 400; }
.page-bar .go input { width: 4rem; min-height: 2rem; padding: .2rem .5rem; font-size: .875rem; text-align: end; }
.page-bar :is(button, .button) { min-height: 2rem; padding: .25rem .7rem; font-size: .8125rem; }
.zoom { margin-inline-start: auto; }
.page-image { overflow: auto; border: 1px solid var(--line); border-radius: 12px; background: var(--sunken); }
.page-image :is(svg, img) { display: block; max-width: none; margin: 0 auto; }
.page-image.fit :is(svg, img) { width: 100%; height: auto; }
.mark-passage { fill: #ffd23f; fill-opacity: .28; stroke: #8a6100; stroke-width: 1; }
.mark-word { fill: #ff9200; fill-opacity: .42; stroke: #8a4300; stroke-width: 1.5; }
.page-missing { padding: 1.5rem; border: 1px solid var(--line); border-radius: 12px; }
.thumbnails { display: flex; gap: .5rem; overflow-x: auto; padding: .25rem; }
.thumbnails a { flex: 0 0 auto; display: grid; justify-items: center; gap: .2rem; padding: .25rem; border: 2px solid transparent; border-radius: 6px;
  color: var(--quiet); font-size: .75rem; text-decoration: none; }
.thumbnails img { display: block; width: 3.5rem; height: 4.5rem; object-fit: contain; border: 1px solid var(--line); background: #fff; }
.thumbnails a[aria-current] { border-color: var(--accent); color: var(--ink); font-weight: 600; }
@media screen and (max-width: 69.99rem) {
  .with-original.shows-text .original, .with-original.shows-page .text { display: none; }
}
@media (forced-colors: active) {
  .page-strip a { forced-color-adjust: none; border-color: CanvasText; background: Canvas; }
  .page-strip .no-text, .page-strip .warned { background: repeating-linear-gradient(45deg, CanvasText 0 2px, Canvas 2px 5px); }
  .page-strip .has-hits::after { border-color: Highlight; }
  .page-strip [aria-current] { border: 3px solid Highlight; }
  mark.passage { outline: 2px solid Highlight; }
  .block.hit::before, .cells tr.hit > :first-child { border-inline-start: 3px solid Highlight; }
  .thumbnails a { border-color: Canvas; }
  .thumbnails a[aria-current], .view-tabs a[aria-current] { border-color: Highlight; }
  .mark-passage, .mark-word { forced-color-adjust: none; fill: none; stroke: #000; stroke-width: 2; }
  .mark-word { stroke-width: 4; }
}
@media print {
  .reading-bar, .page-strip, .part-links, .about .buttons, .view-tabs, .page-bar, .thumbnails { display: none; }
  mark.passage { print-color-adjust: exact; border-block: 1px solid; }
  .original { break-before: page; }
  .page-image { overflow: visible; border: 0; }
  .page-image :is(svg, img) { width: 100%; height: auto; }
  .mark-passage, .mark-word { print-color-adjust: exact; }
}
.document.with-tables, [data-frame="with-tables"] .bar-inner { max-width: 76rem; }
@media (min-width: 70rem) {
  .view-tabs { display: none; }
  .document.with-original { max-width: 100rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.25rem 1.5rem; align-items: start; }
  [data-frame="with-original"] .bar-inner { max-width: 100rem; }
  .with-original :is(.about, .reading-bar, .page-strip) { grid-column: 1 / -1; }
}
@media screen and (min-width: 70rem) {
  .with-original .original { position: sticky; top: 4.25rem; max-height: calc(100vh - 5.25rem); grid-template-rows: auto minmax(0, 1fr) auto; }
  .page-image.fit :is(svg, img) { max-height: calc(100vh - 15.75rem); }
}
@media (max-width: 34rem) {
  .reading-name { display: none; }
  .to-results { max-width: 100%; flex-basis: 100%; }
  .document { padding: 1.25rem 1rem 4rem; }
  .sheet { padding: 1.25rem 1.125rem; }
  .part-links .go { order: 1; flex-basis: 100%; }
}
`

/** Style of source code: lines with numbers that are not copied with the text. */
export const CODE_STYLE = `
.code-lines { padding: 0; border: 0; background: none; overflow-x: auto; line-height: 1.55; tab-size: 4; }
.code-lines .line { display: flex; min-width: min-content; scroll-margin-top: 25vh; }
.code-lines code { flex: 1 0 auto; white-space: pre; }
.code-lines a { flex: none; width: 4.5ch; margin-inline-end: 1.5ch; text-align: end; color: var(--quiet); text-decoration: none; user-select: none; }
.code-lines a::before { content: attr(data-line); }
.code-lines .hit { background: linear-gradient(var(--accent), var(--accent)) no-repeat 0 0 / 3px 100%; }
.code-lines .line:target { background-color: var(--sunken); }
@media (forced-colors: active) { .code-lines .hit { border-inline-start: 3px solid Highlight; } }
@media print { .code-lines code { white-space: pre-wrap; overflow-wrap: anywhere; flex-shrink: 1; } }
`

/** Style of the list of documents. */
export const DOCUMENTS_STYLE = `
/* Documents */
.documents { max-width: 76rem; margin: 0 auto; padding: 1.25rem 1.5rem 4rem; display: grid; gap: .875rem; }
.documents > *, .batch > * { min-width: 0; }
[data-frame="with-list"] .bar-inner { max-width: 76rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .125rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: .35rem .7rem; border-bottom: 2px solid transparent; color: var(--quiet); font-size: .875rem; font-weight: 500; text-decoration: none; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); border-bottom-color: var(--accent); }
.documents .filters > button { justify-self: start; }
.batch { gap: .625rem; justify-items: stretch; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.actions :is(button, input, select) { min-height: 2rem; padding: .2rem .6rem; font-size: .8125rem; }
.with-field { display: flex; gap: .375rem; min-width: 0; }
.with-field :is(input, select) { width: auto; min-width: 0; max-width: 11rem; }
.table { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
.table table { width: 100%; border-collapse: collapse; font-size: .8125rem; }
.table :is(th, td) { padding: .3rem .6rem; text-align: start; vertical-align: top; overflow-wrap: normal; }
.table th a { color: inherit; text-decoration: none; }
.table th a:hover { text-decoration: underline; }
.table [aria-sort="ascending"] a::after { content: " \\2191" / ""; }
.table [aria-sort="descending"] a::after { content: " \\2193" / ""; }
.table th { color: var(--quiet); font-weight: 500; white-space: nowrap; }
.table tbody tr { border-top: 1px solid var(--line); }
.table tbody tr:hover { background: var(--sunken); }
.table .number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.table .name { min-width: 14rem; overflow-wrap: anywhere; }
.table .name a { color: var(--ink); font-weight: 500; text-decoration: none; }
.table .name a:hover { text-decoration: underline; }
.table .name small { display: block; color: var(--bad); }
.table td:nth-child(3) { min-width: 6rem; overflow-wrap: anywhere; }
.table td:last-child { white-space: nowrap; }
.table input { width: 1.1rem; height: 1.1rem; margin: .1rem 0 0; accent-color: var(--accent-fill); }
@media (max-width: 34rem) {
  .documents { padding: 1rem 1rem 3rem; }
}
`

/** The views of projects. */
export const PROJECTS_STYLE = `
.projects { max-width: 50rem; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; display: grid; gap: 1.5rem; }
.projects > * { min-width: 0; }
.projects > section { display: grid; gap: 1rem; padding-top: 2rem; border-top: 1px solid var(--line); }
.projects > section > * { min-width: 0; }
.folders > li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .15rem 1rem; padding: .5rem 0; font-size: .875rem; }
.folders > li + li { border-top: 1px solid var(--line); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
.project-card { display: grid; gap: .5rem; align-content: start; padding: 1rem 1.125rem; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); }
.project-card > * { min-width: 0; }
.member-form { grid-template-columns: minmax(0, 1fr) auto; gap: .5rem; align-items: center; }
.member-form select { min-width: 7rem; }
@media (max-width: 48rem) {
  .projects { padding: 1.25rem 1rem 4rem; }
}
`

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

/** Style of the view that uploads documents. */
export const UPLOAD_STYLE = `
/* Upload */
.upload { max-width: 63rem; margin: 0 auto; padding: 1.25rem 1.5rem 4rem; display: grid; gap: 1rem; }
.upload > *, .sending > * { min-width: 0; }
.upload > h1 + .lead { margin-top: -.6rem; }
.upload-form { max-width: 30rem; width: 100%; }
.upload input[type="file"] { width: 100%; min-width: 0; background: none; font: 400 .875rem/1.4 var(--sans); color: var(--quiet); }
.upload input::file-selector-button { min-height: 2.25rem; margin-inline-end: .75rem; padding: .35rem .875rem; border: 1px solid var(--line-button); border-radius: 8px;
  background: var(--raised); color: var(--ink); font: 500 .875rem/1.3 var(--sans); cursor: pointer; }
.upload input::file-selector-button:hover { background: var(--sunken); }
/* Without scripts, nothing can be dropped. */
.drop-here { display: none; }
@media (scripting: enabled) { .drop-here { display: block; } }
.drop-here { margin-bottom: .5rem; padding: 1.75rem 1rem; border: 1.5px dashed var(--line-input); border-radius: 12px; background: var(--raised); color: var(--quiet); text-align: center; }
.dropping .drop-here, .dropping main[data-drop] { outline: 2px dashed var(--accent); outline-offset: 2px; border-radius: 12px; }
.sending { display: grid; gap: .75rem; margin-top: 1rem; }
.file { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .15rem 1rem; align-items: center; padding: .45rem .875rem; font-size: .875rem; }
.file + .file { border-top: 1px solid var(--line); }
.file-name { min-width: 0; color: var(--ink); font-weight: 500; overflow-wrap: anywhere; }
.file-note { grid-column: 1 / -1; color: var(--quiet); font-size: .8125rem; }
.badge.bad + .file-note { color: var(--bad); }
.file progress { grid-column: 1 / -1; appearance: none; width: 100%; height: .3rem; border: 0; border-radius: 99px; background: var(--sunken); overflow: hidden; }
.file progress::-webkit-progress-bar { background: var(--sunken); }
.file progress::-webkit-progress-value { background: var(--accent-fill); }
.file progress::-moz-progress-bar { background: var(--accent-fill); }
@media (forced-colors: active) {
  .file progress { border: 1px solid; }
  .file progress::-webkit-progress-value { background: Highlight; forced-color-adjust: none; }
  .file progress::-moz-progress-bar { background: Highlight; forced-color-adjust: none; }
}
@media (min-width: 64rem) {
  .upload:has(> .sending:not([hidden])) { max-width: 76rem; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1rem 2.5rem; align-items: start; }
  .bar:has(+ .upload .sending:not([hidden])) .bar-inner { max-width: 76rem; }
  .upload:has(> .sending:not([hidden])) > * { grid-column: 1 / -1; }
  .upload:has(> .sending:not([hidden])) > form { grid-column: 1; }
  .upload > .sending:not([hidden]) { grid-column: 2; margin-top: 0; }
}
@media (max-width: 34rem) {
  .upload { padding: 1rem 1rem 3rem; }
}
`
