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
