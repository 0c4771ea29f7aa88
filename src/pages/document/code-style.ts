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
