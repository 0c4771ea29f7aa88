/** Style of what the script adds to the views. */
export const SCRIPT_STYLE = `
/* With the script */
.as-command { display: flex; flex-wrap: wrap; align-items: center; gap: .125rem .5rem; min-height: 1.75rem; }
.as-command code { min-width: 0; }
.foot { min-height: 3.75rem; display: flex; justify-content: center; padding: 0 1rem 1.5rem; }
.foot button { color: var(--quiet); font-size: .8125rem; font-weight: 400; }
@media (hover: none) and (pointer: coarse) { .foot { display: none; } }
.copied { display: flex; gap: .5rem; align-items: center; min-width: 0; }
.copied > :first-child { min-width: 0; }
@media (min-width: 48rem) {
  .welcome { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); column-gap: 2.5rem; align-items: start; }
  .welcome > :not(.operators, #recent-searches) { grid-column: 1 / -1; }
}
.recent-head { display: flex; gap: .75rem; align-items: baseline; }
.recent-head button { font-size: .8125rem; }
button.small { min-height: 1.75rem; padding: .1rem .6rem; font-size: .75rem; flex: none; }
@media print { .foot, .drop-here, button[data-copy], button[data-copy-text] { display: none; } }
dialog { max-width: min(30rem, calc(100vw - 2rem)); padding: 1.5rem; border: 1px solid var(--line); border-radius: 14px; background: var(--raised); color: var(--ink); }
dialog::backdrop { background: rgb(0 0 0 / .45); }
.shortcuts[open] { display: grid; gap: 1rem; }
.shortcuts dl { display: grid; grid-template-columns: auto 1fr; gap: .4rem 1rem; font-size: .875rem; }
.shortcuts dt { display: flex; gap: .3rem; }
.shortcuts .choose { display: flex; gap: .6rem; align-items: center; }
kbd { min-width: 1.5rem; padding: 0 .35rem; border: 1px solid var(--line-button); border-radius: 5px; background: var(--sunken); font: 500 .8125rem/1.5 var(--mono); text-align: center; }
`
