import { createHash } from 'node:crypto'

export interface LoopbackPage {
  status: number
  /** Both are plain text. */
  title: string
  text: string
}

const STYLE = `
:root { color-scheme: light dark; --back: #f6f6f4; --card: #fff; --text: #1c1d1f; --soft: #5a5d63; --edge: #dcdcd7 }
@media (prefers-color-scheme: dark) { :root { --back: #16171a; --card: #1f2125; --text: #eceded; --soft: #a9adb5; --edge: #34373d } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif }
main { box-sizing: border-box; width: min(26rem, 100vw - 2rem); padding: 2rem; background: var(--card); border: 1px solid var(--edge); border-radius: .75rem }
h1 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.3 }
p { margin: 0; color: var(--soft); overflow-wrap: anywhere }
`
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The headers say that the code in the address goes nowhere: not into a cache, not into a Referer. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
}

/** What the browser shows at the end of a login in the terminal; nothing in it is loaded from elsewhere. */
export function renderLoopbackPage({ title, text }: Pick<LoopbackPage, 'title' | 'text'>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} – docsearch</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
<p>${escape(text)}</p>
</main>
</body>
</html>
`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!)
}
