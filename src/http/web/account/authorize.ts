import { z } from 'zod'
import { invalid } from '../../../contract/validate.ts'
import { isSelfRegistered } from '../../../oauth/application-registry.ts'
import { isDocumentAddress } from '../../../oauth/client-documents.ts'
import type { AuthorizeOutcome, AuthorizeRequest, OAuth } from '../../../oauth/oauth.ts'
import type { FormState } from '../../../pages/form.tsx'
import { type AskingApplication, renderConsent } from '../../../pages/account/consent.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Dependencies } from '../../dependencies.ts'
import { decision, limitErrors, limitOf, limitProps, projectLimitFields } from '../forms.ts'
import { hasTooManyFields, MAX_FIELDS } from '../../body.ts'
import { fail } from '../../problems/problems.ts'
import { allowFormsTo, redirect, redirectToLogin, viewerOf, type View, type ViewCall } from '../routing/page.ts'
import { showErrorPage } from '../routing/page-errors.ts'

/** `scope` has the scopes that the view has shown. */
const consentForm = z.object({ query: z.string(), scope: z.string().optional(), decision, ...projectLimitFields })

type Parts = Pick<Dependencies, 'connections' | 'oauth' | 'projects'>

/** The authorization endpoint (RFC 6749 section 4.1.1) as pages. A session says who the user is; an Authorization header has no effect. */
export const authorizePages = ({ connections, oauth, projects }: Parts): View[] => [
  {
    method: 'GET',
    path: paths.authorize,
    access: 'anyone',
    async handle(call) {
      const query = queryOf(call.ctx.originalUrl)
      const request = await checkRequest(oauth, call, query)
      if (request === null) return
      await showConsent(call, projects, { request, query, form: {} })
    },
  },
  {
    method: 'POST',
    path: paths.authorize,
    access: 'anyone',
    formAddress: (field) => `${paths.authorize}?${field('query')}`,
    async handle(call) {
      const { data, state } = call.submitted(consentForm)
      if (data === undefined) throw invalid([{ path: 'decision', message: 'must be allow or deny' }])
      // The query in the form comes from outside like any other input, so it is checked again.
      const request = await checkRequest(oauth, call, data.query)
      if (request === null) return
      // The owner of the application has changed its scopes since the user opened the view.
      const isOutdated = data.scope !== undefined && data.scope !== request.scopes.join(' ')
      if (isOutdated && data.decision === 'allow') return redirect(call.ctx, `${paths.authorize}?${data.query}`, 303)
      if (data.decision === 'deny') return redirect(call.ctx, oauth.authorize.deny(request).location, 303)
      const errors = limitErrors(data)
      if (Object.keys(errors).length > 0)
        return showConsent(call, projects, { request, query: data.query, form: { ...state, errors } }, 422)
      const { location } = await connections.allow(call.actor, request, limitOf(data))
      redirect(call.ctx, location, 303)
    },
  },
]

async function showConsent(
  call: ViewCall,
  projects: Dependencies['projects'],
  { request, query, form }: { request: AuthorizeRequest; query: string; form: FormState<'reach' | 'projects'> },
  status = 200,
): Promise<void> {
  const { application, redirectUri, scopes } = request
  const page = renderConsent({
    ...askingApplication(application),
    redirectUri,
    scopes,
    viewer: viewerOf(call.user),
    csrf: call.csrf,
    query,
    form,
    limit: await limitProps(call, projects),
  })
  allowFormsTo(call.ctx, redirectUri)
  call.show(page, status)
}

/** Returns what a user learns about an application that asks for access. */
export function askingApplication({ id, name, type, ownerId }: AuthorizeRequest['application']): AskingApplication {
  return {
    applicationName: name,
    clientType: type,
    isSelfRegistered: isSelfRegistered({ id, ownerId }),
    documentHost: isDocumentAddress(id) ? new URL(id).host : null,
  }
}

/** Returns the request for the logged-in user to decide on. Returns null when it was answered already. */
async function checkRequest(oauth: OAuth, call: ViewCall, query: string): Promise<AuthorizeRequest | null> {
  const { ctx, visitor } = call
  if (hasTooManyFields(query))
    throw fail('invalid_request', `The authorization request has more than the limit of ${MAX_FIELDS} parameters.`)
  const outcome = await oauth.authorize.begin(parameters(query), { userId: visitor?.user.id ?? null })
  if (outcome.kind === 'page')
    showErrorPage(ctx, { status: 400, code: outcome.error, detail: outcome.description }, outcome.location)
  else if (outcome.kind === 'redirect') redirect(ctx, outcome.location, ctx.method === 'POST' ? 303 : 302)
  else if (outcome.kind === 'log_in' || visitor === null) redirectToLogin(ctx, `${paths.authorize}?${query}`)
  else return outcome.request
  return null
}

/** Returns what an address of this instance asks for when it is an authorization request, else null. */
export async function authorizeRequestOf(oauth: OAuth, address: string | null): Promise<AuthorizeOutcome | null> {
  if (address?.startsWith(`${paths.authorize}?`) !== true) return null
  const query = queryOf(address)
  return hasTooManyFields(query) ? null : oauth.authorize.begin(parameters(query), { userId: null })
}

function queryOf(address: string): string {
  const at = address.indexOf('?')
  return at === -1 ? '' : address.slice(at + 1)
}

/** Parses a query. A parameter that was sent more than once becomes a list, because RFC 6749 section 3.1 forbids it. */
function parameters(query: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    found[name] = Object.hasOwn(found, name) ? [found[name] ?? [], value].flat() : value
  }
  return found
}
