import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { assetUrl } from './assets.ts'
import { Form } from './form.tsx'
import { paths } from './paths.ts'

/** A message that is shown once, after a redirect. */
export interface Flash {
  tone: 'success' | 'error'
  text: string
}

/** The user who is logged in. */
export interface Viewer {
  name: string
  email: string | null
  role: 'owner' | 'member'
}

/** The links in the bar. */
const BAR = [
  { place: 'search', name: 'Search', path: paths.home },
  { place: 'settings', name: 'Settings', path: paths.settings },
] as const

/** The bar's link that belongs to the view; null if none does. */
type Place = (typeof BAR)[number]['place'] | null

/** Properties of every view for a user who is logged in. */
export interface SignedInProps {
  viewer: Viewer
  csrf: string
  flash?: Flash | null
  /** RFC 3339. Decides what has expired. */
  now: string
}

interface DocumentProps {
  title: string
  /** Puts `Error:` first in the title, so that screen readers say it first. */
  failed?: boolean | undefined
  /** The address to which the browser goes at once. */
  next?: string | undefined
  children: ComponentChildren
}

/** A full HTML document. */
export function html(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>${renderToString(page)}`
}

function Document({ title, failed, next, children }: DocumentProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        {next === undefined ? null : <meta http-equiv="refresh" content={`0; url=${next}`} />}
        <title>{`${failed === true ? 'Error: ' : ''}${title} · docsearch`}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('logo.svg')} />
        <link rel="stylesheet" href={assetUrl('style.css')} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {children}
      </body>
    </html>
  )
}

function Wordmark() {
  return (
    <a class="wordmark" href={paths.home}>
      <img src={assetUrl('logo.svg')} alt="" width="24" height="24" />
      <span>docsearch</span>
    </a>
  )
}

/** A view with one card in the middle, for login, consent and confirmation. */
export function CardPage({ title, failed, next, wide, children }: DocumentProps & { wide?: boolean }) {
  return (
    <Document title={title} failed={failed} next={next}>
      <div class="centre">
        <header>
          <Wordmark />
        </header>
        <main id="main" class={wide === true ? 'card wide' : 'card'}>
          {children}
        </main>
      </div>
    </Document>
  )
}

/** A view with the bar at the top, which links to the other views and shows who is logged in. */
export function AppPage({ title, failed, place, viewer, csrf, children }: DocumentProps & SignedInProps & { place: Place }) {
  return (
    <Document title={title} failed={failed}>
      <header class="bar">
        <div class="bar-inner">
          <Wordmark />
          <nav aria-label="Main">
            {BAR.map(({ place: own, name, path }) => (
              <a href={path} aria-current={place === own ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <div class="who">
            <span class="who-name">{viewer.email ?? viewer.name}</span>
            <Form action={paths.logout} csrf={csrf}>
              <button class="quiet" type="submit">
                Log out
              </button>
            </Form>
          </div>
        </div>
      </header>
      {children}
    </Document>
  )
}

export function FlashMessage({ flash }: { flash: Flash | null | undefined }) {
  return flash == null ? null : (
    <p role="status" class={`flash ${flash.tone}`}>
      {flash.text}
    </p>
  )
}
