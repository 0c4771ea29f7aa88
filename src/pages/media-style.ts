/**
 * Style for forced colours and for paper, where backgrounds vanish. It comes last, after the rules that it overrides. Forced colours make
 * transparent borders visible, so the borders of links that are not current get the colour of the canvas.
 */
export const MEDIA_STYLE = `
@media (forced-colors: active) {
  mark { forced-color-adjust: none; background: Mark; color: MarkText; }
  mark.passage { background: Canvas; color: CanvasText; outline: 2px solid Highlight; }
  .hit::before { forced-color-adjust: none; background: Highlight; }
  .bar nav a[aria-current], .settings nav a[aria-current], .facet-groups li a[aria-current] { outline: 2px solid Highlight; outline-offset: -2px; }
  .tabs a, .view-tabs a { border-bottom-color: Canvas; }
  .tabs a[aria-current], .view-tabs a[aria-current] { border-bottom-color: Highlight; }
  :focus-visible { outline: 3px solid Highlight; }
}
@media print {
  :root { color-scheme: light; }
  body { background: none; }
  .bar, .skip, .search, .more-filters, .narrow, .order, .pages, .as-command, .part-links, .document .about .buttons, .document .about .back { display: none; }
  .find, .document { max-width: none; padding: 0; }
  .find > h1.unseen { position: static; width: auto; height: auto; clip-path: none; white-space: normal; }
  .browse { display: block; }
  .excerpt { display: block; overflow: visible; -webkit-line-clamp: none; }
  .result { break-inside: avoid; }
  .sheet { padding: 0; border: 0; }
  .document .text { display: block; }
  .sheet + .sheet { margin-top: 1.5rem; }
  .hit { padding-inline-start: .875rem; }
  .hit::before { inset-inline-start: 0; }
  mark, .hit::before { print-color-adjust: exact; }
  mark:not(.passage) { text-decoration: underline 2px; }
}
`
