import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { countOf } from '../core/count-of.ts'
import { assetUrl } from './assets.ts'
import { listAddress } from './documents/fields.ts'
import { Form } from './form.tsx'
import { paths } from './paths.ts'

/** A message that is shown once, after a redirect. */
export interface Flash {
  tone: 'success' | 'error'
  text: string
  /** The form that undoes what the message tells. */
  undo?: { action: string; csrf: string; documentIds?: readonly string[] }
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
  { place: 'documents', name: 'Documents', path: paths.documents },
  { place: 'upload', name: 'Upload', path: paths.upload },
  { place: 'projects', name: 'Projects', path: paths.projects },
  { place: 'settings', name: 'Settings', path: paths.settings },
] as const

/** The bar's link that belongs to the view; null if none does. */
type BarPlace = (typeof BAR)[number]['place'] | null

/** Properties of every view for a user who is logged in. */
export interface SignedInProps {
  viewer: Viewer
  csrf: string
  flash?: Flash | null
  /** True if the view's policy allows the script. Every view works without it. */
  hasScript?: boolean
  /** RFC 3339. Decides what has expired. */
  now: string
  /** What the bar says about the instance. */
  glance?: Glance | undefined
}

/** The state of the instance in a few words. `health` is null while it is unknown. */
export interface Glance {
  health: 'ok' | 'degraded' | 'unavailable' | null
  /** Documents of the user that no search finds yet. */
  pending: number
}

/** What the width of the view follows from. It is known before the content arrives, so that nothing moves while the view loads. */
type Frame = 'with-filters' | 'with-list' | 'with-original' | 'with-tables'

interface DocumentProps {
  title: string
  /** Puts `Error:` first in the title, so that screen readers say it first. */
  failed?: boolean | undefined
  hasScript?: boolean | undefined
  /** Tells what the script stores for one user from what it stores for another. */
  viewer?: string | undefined
  frame?: Frame | undefined
  children: ComponentChildren
}

/** A full HTML document. */
export function html(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>${renderToString(page)}`
}

function Document({ title, failed, hasScript, viewer, frame, children }: DocumentProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${failed === true ? 'Error: ' : ''}${title} · docsearch`}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('logo.svg')} />
        <link rel="search" type="application/opensearchdescription+xml" title="docsearch" href={paths.openSearch} />
        <link rel="stylesheet" href={assetUrl('style.css')} />
        {hasScript === true ? <script type="module" src={assetUrl('script.js')} /> : null}
      </head>
      <body data-base={paths.home} data-frame={frame} {...(viewer === undefined ? {} : { 'data-viewer': viewer })}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {children}
      </body>
    </html>
  )
}

/** The page of text with a marked passage, and the name of the product. */
function Wordmark() {
  return (
    <a class="wordmark" href={paths.home}>
      <img src={assetUrl('logo.svg')} alt="" width="24" height="24" />
      <span>docsearch</span>
    </a>
  )
}

/** A view with one card in the middle, for login, consent and confirmation. */
export function CardPage({ title, failed, wide, children }: DocumentProps & { wide?: boolean }) {
  return (
    <Document title={title} failed={failed}>
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

/** A view with a bar, for somebody who is not logged in. `login` is the address of the login. */
export function VisitorPage({ title, failed, login, children }: DocumentProps & { login: string }) {
  return (
    <Document title={title} failed={failed}>
      <header class="bar">
        <div class="bar-inner">
          <Wordmark />
          <div class="who">
            <a class="button quiet" href={login}>
              Log in
            </a>
          </div>
        </div>
      </header>
      {children}
    </Document>
  )
}

interface AppPageProps extends Omit<DocumentProps, 'hasScript' | 'viewer'>, Omit<SignedInProps, 'now'> {
  place: BarPlace
}

/** A view with the bar at the top, which links to the other views and shows who is logged in. */
export function AppPage({ title, failed, place, viewer, csrf, glance, hasScript, frame, children }: AppPageProps) {
  return (
    <Document
      title={title}
      failed={failed}
      hasScript={hasScript}
      viewer={hasScript === true ? (viewer.email ?? viewer.name) : undefined}
      frame={frame}
    >
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
            {glance === undefined ? null : <StatusDot glance={glance} isOwner={viewer.role === 'owner'} />}
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
      {hasScript === true ? (
        <footer class="foot">
          <button class="quiet" type="button" hidden data-scripted data-shortcuts-help>
            Keyboard shortcuts
          </button>
        </footer>
      ) : null}
    </Document>
  )
}

const HEALTH_WORDS = { ok: 'Instance: OK', degraded: 'Works in part', unavailable: 'Unavailable' } as const

/** Says in words when the instance does not work as it should, and how many documents are in progress. The owner can look closer. */
function StatusDot({ glance: { health, pending }, isOwner }: { glance: Glance; isOwner: boolean }) {
  const isFine = health === 'ok' || health === null
  if (isFine && pending > 0) {
    return (
      <a class="dot busy" href={listAddress({ tab: 'progress' })}>
        {countOf(pending, 'document')} in progress
      </a>
    )
  }
  if (health === null || (isFine && !isOwner)) return null
  const words = isFine ? <span class="unseen">{HEALTH_WORDS.ok}</span> : HEALTH_WORDS[health]
  return isOwner ? (
    <a class={`dot ${health}`} href={paths.instance}>
      {words}
    </a>
  ) : (
    <span class={`dot ${health}`}>{words}</span>
  )
}

export function FlashMessage({ flash }: { flash: Flash | null | undefined }) {
  return flash == null ? null : (
    <div role="status" class={`flash ${flash.tone}`}>
      <p>{flash.text}</p>
      {flash.undo === undefined ? null : (
        <Form action={flash.undo.action} csrf={flash.undo.csrf}>
          {(flash.undo.documentIds ?? []).map((id) => (
            <input type="hidden" name="ids" value={id} />
          ))}
          {flash.undo.documentIds === undefined ? null : <input type="hidden" name="action" value="restore" />}
          <button type="submit">Undo</button>
        </Form>
      )}
    </div>
  )
}
