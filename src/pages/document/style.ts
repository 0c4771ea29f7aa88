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
