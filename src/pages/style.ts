/** The one style sheet of all pages. */
export const STYLE = `
:root { color-scheme: light dark; }
`.trimStart()
