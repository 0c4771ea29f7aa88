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
