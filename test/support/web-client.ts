import { Parser } from 'htmlparser2'
import { expect } from 'vitest'
import type { TestApp } from './app.ts'

/** A form, as a browser without JavaScript would send it. */
export interface WebForm {
  action: string
  /** The initial values. */
  fields: [name: string, value: string][]
  buttons: { name: string; value: string; text: string }[]
}

export interface WebPage {
  status: number
  headers: Headers
  /** Target of a redirect; null if there is none. */
  location: string | null
  html: string
  /** The addresses of all links. */
  links: string[]
  /** The visible text. */
  text: string
  forms: WebForm[]
  /** Returns the form with this action. */
  form(action: string): WebForm
  /** Returns the value of the field with this ID or name. */
  field(name: string): string | undefined
}

/** A small browser: cookies, forms, and redirects that the test follows itself. */
export interface WebClient {
  cookies: Map<string, string>
  /** Every Set-Cookie header, newest last. */
  setCookies: string[]
  get(path: string, headers?: Record<string, string>): Promise<WebPage>
  /** A POST with the headers that a browser sends from a view of docsearch. `headers` overrides them; an empty header is not sent. */
  post(path: string, fields: Record<string, string | string[]> | string, headers?: Record<string, string>): Promise<WebPage>
  /** Fills in a form and presses its button. If there are several, `button` is the text of one. */
  submit(page: WebPage, action: string, values?: Record<string, string | string[]>, button?: string): Promise<WebPage>
  /** Follows redirects within this instance. Expects at least one. */
  follow(page: WebPage): Promise<WebPage>
  /** Like `submit`, and then opens the view to which a successful form leads. */
  finish(...form: Parameters<WebClient['submit']>): Promise<WebPage>
  /** Fills in the login form, by default on a new page. */
  logIn(email: string, password: string, page?: WebPage): Promise<WebPage>
  send(method: string, path: string, body: string | null, headers: Record<string, string>): Promise<WebPage>
}

export const PASSWORD = 'correct horse battery'

/** Returns a client whose user is logged in. Sets a password if the user has none. */
export async function loggedIn(app: TestApp, email: string): Promise<WebClient> {
  const { records, accounts } = app.backend
  const user = await records.users.findByEmail(email)
  if (user === null) throw new Error(`no user ${email}`)
  if (!user.hasPassword) await accounts.setPassword(user.id, PASSWORD)
  const client = webClient(app)
  const page = await client.logIn(email, PASSWORD)
  expect([page.status, page.location]).toEqual([303, '/'])
  return client
}

/** A path in `app.url` belongs to the instance: the paths that the client takes and returns don't contain it. */
export function webClient(app: Pick<TestApp, 'url' | 'baseUrl'>): WebClient {
  const base = new URL(app.url).pathname.replace(/\/$/, '')
  const cookies = new Map<string, string>()
  const client: WebClient = {
    cookies,
    setCookies: [],
    async send(method, path, body, headers) {
      const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(new URL(path.startsWith(`${base}/`) ? path : base + path, app.url), {
        method,
        redirect: 'manual',
        headers: { ...(cookie === '' ? {} : { Cookie: cookie }), ...sent },
        ...(body === null ? {} : { body }),
      })
      for (const line of response.headers.getSetCookie()) {
        client.setCookies.push(line)
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/; Max-Age=0;/.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return webPage(response, await response.text(), base)
    },
    get: (path, headers = {}) => client.send('GET', path, null, { Accept: 'text/html', ...headers }),
    post(path, fields, headers = {}) {
      const body = typeof fields === 'string' ? fields : encode(Object.entries(fields))
      return client.send('POST', path, body, {
        Accept: 'text/html',
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: new URL(app.baseUrl).origin,
        'Sec-Fetch-Site': 'same-origin',
        ...headers,
      })
    },
    submit(page, action, values = {}, button) {
      const form = page.form(action)
      const pressed = button === undefined ? form.buttons[0] : form.buttons.find(({ text }) => text === button)
      if (pressed === undefined) throw new Error(`no button ${button} in the form of ${action}`)
      const kept = form.fields.filter(([name]) => !Object.hasOwn(values, name))
      const named: [string, string][] = pressed.name === '' ? [] : [[pressed.name, pressed.value]]
      return client.post(action, encode([...kept, ...Object.entries(values), ...named]))
    },
    async finish(...form) {
      const sent = await client.submit(...form)
      return sent.location === null ? sent : client.follow(sent)
    },
    async follow(page) {
      let at = page
      do {
        expect(at.location, `a redirect, not ${at.status}: ${at.text}`).toMatch(/^\//)
        at = await client.get(at.location!)
      } while (at.location?.startsWith('/') === true)
      return at
    },
    async logIn(email, password, page) {
      return client.submit(page ?? (await client.get('/login')), '/login', { email, password })
    },
  }
  return client
}

function encode(fields: [string, string | string[]][]): string {
  return new URLSearchParams(
    fields.flatMap(([name, value]) => [value].flat().map((one) => [name, one] as [string, string])),
  ).toString()
}

function webPage(response: Response, sent: string, base: string): WebPage {
  const html = base === '' ? sent : sent.replaceAll(`="${base}/`, '="/')
  const location = response.headers.get('location')
  const { forms, text, values, links } = read(html)
  return {
    status: response.status,
    headers: response.headers,
    location: location?.startsWith(`${base}/`) === true ? location.slice(base.length) : location,
    links,
    html,
    text,
    forms,
    form(action) {
      const found = forms.find((form) => form.action === action)
      if (found === undefined) throw new Error(`no form for ${action} on a page with ${response.status}: ${text}`)
      return found
    },
    field: (name) => values.get(name),
  }
}

function read(html: string): {
  forms: WebForm[]
  text: string
  values: Map<string, string>
  links: string[]
} {
  const forms: WebForm[] = []
  const values = new Map<string, string>()
  let text = ''
  const links: string[] = []
  let form: WebForm | undefined
  let button: WebForm['buttons'][number] | undefined
  let area: { name: string; value: string } | undefined
  let select: string | undefined
  const parser = new Parser({
    onopentag(tag, at) {
      if (tag === 'form') forms.push((form = { action: at['action'] ?? '', fields: [], buttons: [] }))
      else if (tag === 'button') form?.buttons.push((button = { name: at['name'] ?? '', value: at['value'] ?? '', text: '' }))
      else if (tag === 'a') links.push(at['href'] ?? '')
      else if (tag === 'textarea') area = { name: at['name'] ?? '', value: '' }
      else if (tag === 'select') select = at['name']
      else if (tag === 'option' && select !== undefined && 'selected' in at) form?.fields.push([select, at['value'] ?? ''])
      else if (tag === 'input') {
        const name = at['name'] ?? at['id'] ?? ''
        const isBox = at['type'] === 'checkbox' || at['type'] === 'radio'
        if (isBox && !('checked' in at)) return
        values.set(name, at['value'] ?? '')
        if (at['name'] !== undefined) form?.fields.push([name, at['value'] ?? ''])
      }
    },
    ontext(part) {
      if (area !== undefined) area.value += part
      else {
        text += part
        if (button !== undefined) button.text += part
      }
    },
    onclosetag(tag) {
      if (tag === 'form') form = undefined
      else if (tag === 'button') button = undefined
      else if (tag === 'select') select = undefined
      else if (tag === 'textarea' && area !== undefined) {
        form?.fields.push([area.name, area.value])
        values.set(area.name, area.value)
        area = undefined
      } else if (/^(?:p|h\d|li|dd|dt|title|div)$/.test(tag)) text += '\n'
    },
  })
  parser.write(html)
  parser.end()
  return {
    forms,
    text: text
      .replaceAll(/[ \t]+/g, ' ')
      .replaceAll(/\s*\n\s*/g, '\n')
      .trim(),
    values,
    links,
  }
}
