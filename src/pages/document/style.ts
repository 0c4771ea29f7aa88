/** Style of a document: its text, the passage, and next to it the original if there is room. */
export const DOCUMENT_STYLE = `
/* Document */
.document { max-width: 50rem; margin: 0 auto; padding: 1.75rem 1.5rem 5rem; display: grid; gap: 1.25rem; }
.document > * { min-width: 0; }
.about { display: grid; gap: .85rem; }
.about .back { margin-bottom: -.5rem; }
.about .buttons { flex: none; }
.document .text { display: grid; gap: 1rem; scroll-margin-top: 1rem; }
.sheet { padding: 1.75rem clamp(1.125rem, 4vw, 2.5rem); background: var(--raised); border: 1px solid var(--line); border-radius: 12px;
  display: grid; gap: .85rem; line-height: 1.65; }
.sheet > * { min-width: 0; }
.document .notice { display: grid; gap: .25rem; }
.page-number { margin: -.75rem 0 -.25rem; color: var(--quiet); font-size: .75rem; font-weight: 500; letter-spacing: .02em; text-align: end; }
.block { white-space: pre-line; }
.heading-1, .heading-2, .heading-3 { font-weight: 600; line-height: 1.35; }
.heading-1 { font-size: 1.1875rem; letter-spacing: -.011em; }
.heading-2 { font-size: 1.0625rem; }
.block + .heading-1, .block + .heading-2 { margin-top: .6rem; }
.list-item { padding-inline-start: 1rem; }
.list-item.depth-2 { padding-inline-start: 2rem; }
.list-item.depth-3 { padding-inline-start: 3rem; }
.table-row { font-size: .875rem; font-variant-numeric: tabular-nums; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
.table-row + .table-row { margin-top: -.55rem; }
.code.block { white-space: pre-wrap; font-size: .8125rem; padding: .875rem 1rem; border-radius: 10px; background: var(--sunken); }
.hit { position: relative; }
.hit::before { content: ""; position: absolute; inset-block: 0; inset-inline-start: -.875rem; width: 3px; background: var(--accent); }
.hit + .hit::before { inset-block-start: -.85rem; }
mark.passage { background: var(--passage); padding: .2em 0; margin: 0; border-radius: 2px; scroll-margin-top: 25vh; }
.part-links { display: flex; flex-wrap: wrap; align-items: center; gap: .625rem 1rem; color: var(--quiet); font-size: .875rem; }
.part-links .go { display: flex; align-items: center; gap: .5rem; }
.part-links .go input { width: 4rem; min-height: 2rem; padding: .2rem .5rem; font-size: .875rem; text-align: end; }
.part-links label { font-weight: 400; }
.part-links :is(button, .button) { min-height: 2rem; padding: .25rem .7rem; font-size: .8125rem; }
.original { display: none; }
.original iframe { display: block; width: 100%; height: 100%; border: 1px solid var(--line); border-radius: 12px; background: var(--sunken); }
@media (min-width: 70rem) {
  .document.with-original { max-width: 100rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.25rem 1.5rem; align-items: start; }
  .bar:has(+ .with-original) .bar-inner { max-width: 100rem; }
  .with-original .about { grid-column: 1 / -1; }
  .with-original .original { display: block; position: sticky; top: 1rem; height: calc(100vh - 2rem); }
}
@media (max-width: 34rem) {
  .document { padding: 1.25rem 1rem 4rem; }
  .sheet { padding: 1.25rem 1.125rem; }
  .part-links .go { order: 1; flex-basis: 100%; }
}
`
