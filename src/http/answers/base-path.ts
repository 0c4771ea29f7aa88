/**
 * The public URL of an instance may have a path, such as `/docs` in `https://example.org/docs`. `middleware/base-path.ts` removes it when a request
 * arrives, and it is put back in front of links, redirects and cookies when an answer leaves. No other code knows about it.
 */

/** Returns the path of an address without the slash at its end; empty for an address without a path. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '')
}

/**
 * Attributes of views that contain paths of this instance. The components put quotes around every value, and write quotes in text as `&quot;`, so
 * that nothing in a document can look like such an attribute.
 */
const PATHS = /( (?:href|src|action|formaction|data-base|data-drop|data-live-from)="| content="0; url=)\/(?!\/)/g

/** Puts the path in front of every link, form and file of a view. */
export function withBasePath(html: string, basePath: string): string {
  return basePath === '' ? html : html.replace(PATHS, `$1${basePath}/`)
}
