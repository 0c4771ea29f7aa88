import type { HttpSettings } from '../dependencies.ts'
import type { Middleware } from '../routing/context.ts'

/*
 * The public URL of an instance may have a path, such as `/docs` in `https://example.org/docs`. It is removed when a request arrives,
 * and put back in front of links, redirects and cookies when an answer leaves. No other code knows about it.
 */

/**
 * Removes the path of the public URL from the address of each request. A request without that path is left alone: some reverse proxies
 * remove it themselves, and programs on the same machine don't use the proxy.
 */
export function basePath({ baseUrl }: Pick<HttpSettings, 'baseUrl'>): Middleware {
  return async (ctx, next) => {
    const base = basePathOf(baseUrl())
    ctx.state.basePath = base
    if (base !== '') ctx.url = ctx.originalUrl = ownUrl(ctx.url, base)
    await next()
  }
}

/** RFC 8414 and RFC 9728 put the path of an issuer or a resource behind the name of the metadata, at the root of the host. */
const METADATA = /^(\/\.well-known\/[a-z-]+)(\/.*)$/

function ownUrl(url: string, base: string): string {
  const [, name, path] = METADATA.exec(url) ?? []
  if (name !== undefined && path !== undefined && isBelow(path, base)) return name + path.slice(base.length)
  if (!isBelow(url, base)) return url
  const rest = url.slice(base.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

function isBelow(url: string, base: string): boolean {
  return url.startsWith(base) && ['', '/', '?'].includes(url.charAt(base.length))
}

/** Returns the path of an address without the slash at its end; empty for an address without a path. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '')
}

/**
 * Attributes of views that contain paths of this instance. The components put quotes around every value, and write quotes in text as `&quot;`, so
 * that nothing in a document can look like such an attribute.
 */
const PATHS = /( (?:href|src|action|formaction|data-base|data-drop|data-live-from)=")\/(?!\/)/g

/** Puts the path in front of every link, form and file of a view. */
export function withBasePath(html: string, basePath: string): string {
  return basePath === '' ? html : html.replace(PATHS, `$1${basePath}/`)
}
