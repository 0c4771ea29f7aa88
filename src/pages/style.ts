import { CODE_STYLE, DOCUMENT_STYLE, DOCUMENTS_STYLE, PROJECTS_STYLE, SEARCH_STYLE, UPLOAD_STYLE } from './views-style.ts'
import { TOKENS } from './tokens.ts'

/**
 * Style for forced colours and for paper, where backgrounds vanish. It comes last, after the rules that it overrides. Forced colours make
 * transparent borders visible, so the borders of links that are not current get the colour of the canvas.
 */
const MEDIA_STYLE = `
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

/** Style of what the script adds to the views. */
const SCRIPT_STYLE = `
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

/** The style sheet of all views except the API documentation: from 360 px, light and dark, with nothing to load, and without motion for users who prefer that. */
export const STYLE = `${TOKENS}
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 400 .9375rem/1.55 var(--sans); overflow-wrap: anywhere;
  -webkit-font-smoothing: antialiased; }
[hidden] { display: none !important; }
h1, h2, h3 { margin: 0; line-height: 1.3; font-weight: 600; letter-spacing: -.011em; text-wrap: balance; }
h1 { font-size: 1.5rem; letter-spacing: -.021em; }
h2 { font-size: 1.0625rem; }
h3, .row h2 { font-size: .9375rem; letter-spacing: -.005em; }
p, ul, ol, dl, dd, pre, fieldset { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
code, pre, .code { font-family: var(--mono); font-size: .8125rem; }
small { font-size: .8125rem; font-weight: 400; color: var(--quiet); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .75rem; z-index: 1; padding: .5rem .875rem; background: var(--raised); border-radius: 8px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.lead, .hint { color: var(--quiet); }
.hint { font-size: .8125rem; line-height: 1.5; }

/* Frames */
.wordmark { display: inline-flex; align-items: center; gap: .55rem; color: var(--ink); font-size: 1.0625rem; font-weight: 600;
  letter-spacing: -.02em; text-decoration: none; border-radius: 6px; flex: none; white-space: nowrap; }
.wordmark img { display: block; }
.centre { min-height: 100vh; display: flex; flex-direction: column; align-items: center; gap: 1.75rem; padding: clamp(2rem, 9vh, 6rem) 1rem 3rem; }
.card { width: 100%; max-width: 25rem; padding: 2rem; background: var(--raised); border: 1px solid var(--line); border-radius: 14px;
  box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 8px 24px -12px rgb(0 0 0 / .12); display: grid; gap: 1.25rem; }
.card.wide { max-width: 31rem; }
.card > *, .settings > *, .field > * { min-width: 0; }
.card > h1 + .lead { margin-top: -.75rem; }
.bar { background: var(--raised); border-bottom: 1px solid var(--line); }
.bar-inner { max-width: 63rem; min-height: 3.5rem; margin: 0 auto; padding: .5rem 1.5rem; display: flex; align-items: center; gap: 1rem; }
.bar nav { display: flex; gap: 2px; }
.bar nav a { padding: .35rem .7rem; border-radius: 8px; color: var(--quiet); font-size: .875rem; font-weight: 500; text-decoration: none; }
.bar nav a:hover { background: var(--sunken); color: var(--ink); }
.bar nav a[aria-current] { color: var(--ink); background: color-mix(in srgb, var(--accent) 11%, transparent); }
.who { display: flex; align-items: center; gap: .25rem; margin: 0 -.875rem 0 auto; min-width: 0; }
.who form { flex: none; }
.dot { flex: 0 1 auto; min-width: 1.75rem; overflow: hidden; text-overflow: ellipsis; padding: .25rem .5rem; border-radius: 8px; color: var(--tone); font-size: .8125rem;
  font-weight: 500; text-decoration: none; white-space: nowrap; --tone: var(--good); }
a.dot:hover { background: var(--sunken); }
.dot::before { content: "\\25CF" / ""; margin-inline-end: .4rem; font-size: .75rem; }
.dot.busy { --tone: var(--quiet); }
.dot.busy::before { content: "\\25D4" / ""; }
.dot.degraded { --tone: var(--warn); }
.dot.degraded::before { content: "\\25B2" / ""; }
.dot.unavailable { --tone: var(--bad); }
.dot.unavailable::before { content: "\\25A0" / ""; }
progress { width: 100%; max-width: 16rem; accent-color: var(--accent-fill); }
.who-name { min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; color: var(--quiet); font-size: .875rem; }
.settings { max-width: 63rem; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; display: grid; grid-template-columns: 12.5rem minmax(0, 44rem); gap: 3.5rem;
  align-items: start; }
.settings nav ul { display: grid; gap: 2px; margin-left: -.75rem; }
.settings nav a { display: block; padding: .4rem .75rem; border-radius: 8px; color: var(--quiet); font-size: .875rem; font-weight: 500; text-decoration: none; }
.settings nav a:hover { background: var(--sunken); color: var(--ink); }
.settings nav a[aria-current] { background: color-mix(in srgb, var(--accent) 11%, transparent); color: var(--ink); }
.settings main { display: grid; gap: 1.5rem; }
.settings main > section { display: grid; gap: 1rem; }
.settings main > section + section { margin-top: .75rem; padding-top: 2rem; border-top: 1px solid var(--line); }
.settings main > section > h2 + p { margin-top: -.65rem; color: var(--quiet); }
.heading { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .75rem 1rem; min-width: 0; }
.heading > :first-child { min-width: 0; }
.heading + .lead { margin-top: -1.15rem; }
.back { margin-bottom: -1.1rem; font-size: .875rem; }
.back a { color: var(--quiet); text-decoration: none; }
.back a::before { content: "\\2190\\00a0" / ""; }
.back a:hover { color: var(--ink); }

.problem { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1.5rem 5rem; display: grid; gap: 1rem; }
.problem > * { min-width: 0; }
.problem > .search { margin-bottom: 1.5rem; }
.problem > .status { margin-bottom: -1rem; color: var(--quiet); font: 600 .8125rem/1.5 var(--mono); }

/* Buttons */
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.25rem; padding: .35rem .875rem;
  border: 1px solid var(--line-button); border-radius: 8px; background: var(--raised); color: var(--ink); font: 500 .875rem/1.3 var(--sans);
  text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--sunken); }
.primary { background: var(--accent-fill); border-color: transparent; color: #fff; }
.primary:hover { background: var(--accent-fill-hover); }
.danger { background: var(--bad-fill); border-color: transparent; color: #fff; }
.danger:hover { background: var(--bad-fill-hover); }
.danger-quiet { color: var(--bad); }
.danger-quiet:hover { background: color-mix(in srgb, var(--bad) 9%, var(--raised)); border-color: var(--bad); }
.quiet { border-color: transparent; background: none; color: var(--ink); white-space: nowrap; }
.link { min-height: 0; padding: 0; border: 0; border-radius: 3px; background: none; color: var(--accent); font-weight: 400; text-decoration: underline;
  text-underline-offset: .2em; text-decoration-thickness: 1px; }
.link:hover { background: none; text-decoration-thickness: 2px; }
.buttons { display: flex; flex-wrap: wrap; gap: .625rem; }
.card form { justify-items: stretch; }
.card form.inline { justify-items: start; }
.settings main > section > .button { justify-self: start; }
.card .buttons > * { flex: 1 1 8rem; }

/* Forms */
form { display: grid; gap: 1.25rem; justify-items: start; min-width: 0; }
form.narrow { max-width: 30rem; }
form.filters { grid-template-columns: repeat(auto-fill, minmax(min(100%, 12rem), 1fr)); gap: 1rem; justify-items: stretch; align-items: end; }
.field { width: 100%; min-width: 0; border: 0; display: grid; gap: .35rem; }
label, legend { padding: 0; font-size: .875rem; font-weight: 500; }
input[type="text"], input[type="search"], input[type="email"], input[type="password"], input[type="date"], textarea, select { width: 100%; min-height: 2.375rem; padding: .4rem .7rem;
  border: 1px solid var(--line-input); border-radius: 8px; background: var(--raised); color: var(--ink); font: 400 .9375rem/1.4 var(--sans); }
textarea { resize: vertical; }
input.code, textarea.code { font-family: var(--mono); font-size: .875rem; }
input:focus-visible, textarea:focus-visible, select:focus-visible { outline-offset: 0; border-color: var(--accent); }
input:read-only:not([type="checkbox"], [type="radio"]), textarea:read-only { background: var(--sunken); }
.invalid > :is(input, textarea, select) { border-color: var(--bad); }
.field-error { color: var(--bad); font-size: .8125rem; font-weight: 500; }
fieldset > legend + .hint, fieldset > legend + .choices { margin-top: .35rem; }
.choices { border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
.choice { display: grid; grid-template-columns: auto 1fr; column-gap: .7rem; padding: .7rem .875rem; }
.choice + .choice { border-top: 1px solid var(--line); }
.choice > input { width: 1.05rem; height: 1.05rem; margin: .15rem 0 0; accent-color: var(--accent-fill); }
.choice > .hint { grid-column: 2; }

/* Messages */
.flash:has(form) { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; }
.notice, .flash { padding: .75rem .95rem; border: 1px solid var(--tone-line); border-radius: 10px; background: var(--tone-ground); font-size: .875rem;
  --tone: var(--accent); --tone-ground: color-mix(in srgb, var(--tone) 7%, var(--raised)); --tone-line: color-mix(in srgb, var(--tone) 32%, var(--raised)); }
.notice h2 { font-size: .875rem; }
.notice ul { margin-top: .25rem; display: grid; gap: .15rem; }
.notice.error a { color: var(--bad); }
.error { --tone: var(--bad); }
.warning { --tone: var(--warn); }
.success { --tone: var(--good); }

/* Lists of things */
.rows, .boxed, .empty { border: 1px solid var(--line); border-radius: 12px; background: var(--raised); }
.row { display: flex; gap: 1rem 1.5rem; align-items: center; justify-content: space-between; padding: 1rem 1.125rem; }
.row + .row { border-top: 1px solid var(--line); }
.row-main { min-width: 0; display: grid; gap: .3rem; }
.row-actions { display: flex; flex: none; flex-wrap: wrap; gap: .5rem; }
.row-actions :is(button, .button) { min-height: 2rem; padding: .25rem .7rem; font-size: .8125rem; }
.badge { display: inline-block; padding: .05rem .5rem; border-radius: 99px; background: color-mix(in srgb, var(--tone) 11%, var(--raised)); color: var(--tone);
  font-size: .75rem; font-weight: 500; letter-spacing: 0; vertical-align: .08em; white-space: nowrap; --tone: var(--quiet); }
.badge.good { --tone: var(--good); }
.badge.warning { --tone: var(--warn); }
.badge.bad { --tone: var(--bad); }
.facts { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; font-size: .8125rem; }
.facts > div { min-width: 0; }
.facts > .alone { flex-basis: 100%; }
.facts dt, .facts dd { display: inline; }
.facts dt { color: var(--quiet); }
.facts dt::after { content: "\\00a0\\00a0"; }
.boxed { padding: .25rem 1.125rem; }
.boxed .facts, .facts.boxed { display: block; font-size: .875rem; }
.boxed .facts > div, .facts.boxed > div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .15rem 1rem; padding: .6rem 0; }
.boxed .facts > div + div, .facts.boxed > div + div { border-top: 1px solid var(--line); }
.boxed dd > .hint, .boxed dd > form { display: block; }
.account, .account small { display: block; }
.plain { display: grid; gap: .25rem; }
.host { font-size: 1rem; font-weight: 600; }
.empty { padding: 2.75rem 1.5rem; display: grid; gap: .75rem; justify-items: center; text-align: center; }
.empty p { max-width: 27rem; color: var(--quiet); }
pre { padding: .875rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--sunken); overflow-x: auto; overflow-wrap: normal; line-height: 1.6; }
.can, .cannot { display: grid; gap: .6rem; margin-top: -.65rem; }
.cannot { gap: .25rem; color: var(--quiet); font-size: .875rem; }
.can li, .cannot li { position: relative; padding-left: 1.6rem; }
.can strong { display: block; font-weight: 500; }
.can .hint { display: block; }
.can li::before, .cannot li::before { position: absolute; left: 0; font-weight: 600; }
.can li::before { content: "\\2713" / ""; color: var(--good); }
.cannot li::before { content: "\\2013" / ""; }
.card h2 { font-size: .875rem; }
.steps { display: grid; gap: .2rem; margin-top: -.65rem; font-size: .875rem; }
.steps dt { font-weight: 500; }
.steps dd { color: var(--quiet); }
.steps dd + dt { margin-top: .5rem; }
summary { color: var(--quiet); font-size: .875rem; cursor: pointer; border-radius: 4px; }
details.unfold { display: inline-block; vertical-align: top; }
.unfold summary { color: inherit; font-size: inherit; }
.unfold ul { display: grid; gap: .25rem; margin: .25rem 0 .25rem 1rem; }
details p { margin-top: .5rem; color: var(--quiet); font-size: .875rem; }

@media (max-width: 48rem) {
  .settings { grid-template-columns: minmax(0, 1fr); gap: 1.75rem; padding: 1.25rem 1rem 4rem; }
  .settings nav ul { display: flex; flex-wrap: wrap; gap: .125rem; margin: 0 -.5rem; }
  .settings nav a { padding: .35rem .5rem; font-size: .8125rem; }
  .bar-inner { padding: .5rem 1rem; }
  .problem { padding-inline: 1rem; }
}
@media (max-width: 52rem) {
  .bar .who-name { display: none; }
  .bar nav a { padding-inline: .45rem; }
}
@media (max-width: 34rem) {
  .centre { padding-top: 1.75rem; gap: 1.25rem; }
  .card { padding: 1.375rem 1.25rem; }
  .row { flex-direction: column; align-items: stretch; }
  .row .facts { display: grid; gap: .25rem; }
  .row .facts > div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); }
  .row .facts dt::after { content: none; }
  .boxed .facts > div, .facts.boxed > div { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .boxed .facts dt::after, .facts.boxed dt::after { content: none; }
  input[type="text"], input[type="search"], input[type="email"], input[type="password"], input[type="date"], textarea, select { font-size: 1rem; }
  .bar .wordmark span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .bar-inner { flex-wrap: wrap; gap: 0 .5rem; padding-block: .375rem; }
  .bar nav { order: 1; flex: 1 0 100%; flex-wrap: wrap; gap: 0; margin-inline: -.4rem; }
  .bar nav a { padding-inline: .4rem; font-size: .8125rem; white-space: nowrap; }
}
@media (pointer: coarse) {
  .settings nav a, .bar nav a { padding-block: .7rem; }
  button:not(.link), .button, .row-actions :is(button, .button), input:not([type="checkbox"], [type="radio"], [type="hidden"]), select { min-height: 2.75rem; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .button, nav a { transition: background-color .12s, border-color .12s; }
}
${SEARCH_STYLE}${DOCUMENT_STYLE}${CODE_STYLE}${PROJECTS_STYLE}${DOCUMENTS_STYLE}${UPLOAD_STYLE}${SCRIPT_STYLE}${MEDIA_STYLE}`
