import { z } from 'zod'
import { invalid } from '../../../contract/validate.ts'
import { networkOf } from '../../../core/network.ts'
import { countInMemory, type MakeCounter } from '../../../core/rate-counter.ts'
import { renderDeviceCode, renderDeviceConfirm, renderDeviceDone } from '../../../pages/account/device.tsx'
import type { FormState } from '../../../pages/form.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Dependencies } from '../../dependencies.ts'
import { limited } from '../../middleware/rate-limit.ts'
import { askingApplication } from './authorize.ts'
import { decision, limitErrors, limitOf, limitProps, projectLimitFields } from '../forms.ts'
import { type View, type ViewCall, viewerOf } from '../routing/page.ts'

const userCode = z.string().default('')
const codeForm = z.object({ user_code: userCode })
const decisionForm = z.object({ user_code: userCode, decision, ...projectLimitFields })

type Parts = Pick<Dependencies, 'connections' | 'oauth' | 'projects' | 'settings'>

/** The pages of the device grant (RFC 8628 section 3.3): the user types the code, sees which application asks, and decides. */
export function devicePages({ connections, oauth, projects, settings }: Parts): View[] {
  const attempts = deviceAttempts(settings.counters)
  return [
    {
      method: 'GET',
      path: paths.device,
      handle({ ctx, csrf, show }) {
        // From `verification_uri_complete`. It only fills in the field, so a link sent by an attacker alone does nothing.
        const sent = ctx.query['user_code']
        show(renderDeviceCode({ csrf, form: { values: { user_code: typeof sent === 'string' ? sent.slice(0, 40) : '' } } }))
      },
    },
    {
      method: 'POST',
      path: paths.device,
      formAddress,
      async handle(call) {
        const { csrf, submitted, show } = call
        await attempts.check(call)
        const { user_code } = submitted(codeForm).data ?? { user_code: '' }
        const asked = await oauth.device.lookup(user_code)
        if (asked === null) {
          await attempts.countWrong(call)
          const errors = {
            user_code: 'No device is waiting with this code. Compare it with the code on the device, or start again there.',
          }
          return show(renderDeviceCode({ csrf, form: { values: { user_code }, errors } }), 422)
        }
        await showConfirm(call, projects, { asked, userCode: user_code, form: {} })
      },
    },
    {
      method: 'POST',
      path: paths.deviceDecision,
      formAddress,
      async handle(call) {
        const { actor, user, submitted, show } = call
        await attempts.check(call)
        const { data, state } = submitted(decisionForm)
        if (data === undefined) throw invalid([{ path: 'decision', message: 'must be allow or deny' }])
        const asked = await oauth.device.lookup(data.user_code)
        const isAllowed = data.decision === 'allow'
        const errors = isAllowed ? limitErrors(data) : {}
        if (asked !== null && Object.keys(errors).length > 0)
          return showConfirm(call, projects, { asked, userCode: data.user_code, form: { ...state, errors } }, 422)
        const decide = () =>
          isAllowed
            ? connections.allowDevice(actor, data.user_code, limitOf(data))
            : oauth.device.decide(data.user_code, user, false)
        const isDecided = asked !== null && (await decide())
        if (!isDecided) await attempts.countWrong(call)
        const outcome = isDecided ? (isAllowed ? 'allowed' : 'denied') : 'ended'
        show(renderDeviceDone({ outcome, applicationName: asked?.application.name ?? null }), isDecided ? 200 : 422)
      },
    },
  ]
}

interface Confirmation {
  asked: NonNullable<Awaited<ReturnType<Dependencies['oauth']['device']['lookup']>>>
  userCode: string
  form: FormState<'reach' | 'projects'>
}

async function showConfirm(
  call: ViewCall,
  projects: Dependencies['projects'],
  { asked, userCode: typed, form }: Confirmation,
  status = 200,
): Promise<void> {
  const page = renderDeviceConfirm({
    ...askingApplication(asked.application),
    scopes: asked.scopes,
    userCode: formatUserCode(typed),
    viewer: viewerOf(call.user),
    csrf: call.csrf,
    form,
    limit: await limitProps(call, projects),
  })
  call.show(page, status)
}

/** Returns the address of the form with the code filled in. Opening it decides nothing. */
function formAddress(field: (name: string) => string): string {
  return `${paths.device}?${new URLSearchParams({ user_code: field('user_code') })}`
}

/** Formats a code in two groups of four letters, as the device shows it, so that the user can compare. */
function formatUserCode(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

const WINDOW_SECONDS = 15 * 60
/** Wrong codes for one browser session. */
const MAX_FOR_SESSION = 10
/** Wrong codes for one address, which many users may share. */
const MAX_FOR_ADDRESS = 30

/**
 * Limits wrong user codes. The codes are short, so that users can type them, and nobody may guess the code of another user's device
 * (RFC 8628 section 5.1).
 */
interface DeviceAttempts {
  /** Throws `rate_limited` after too many wrong codes. Call it before looking at a code, so that it refuses the right code too. */
  check(call: ViewCall): Promise<void>
  countWrong(call: ViewCall): Promise<void>
}

function deviceAttempts(counters: MakeCounter = countInMemory): DeviceAttempts {
  const sessions = counters({ name: 'device_sessions', limit: MAX_FOR_SESSION, seconds: WINDOW_SECONDS })
  const addresses = counters({ name: 'device_addresses', limit: MAX_FOR_ADDRESS, seconds: WINDOW_SECONDS })
  const both = ({ ctx, login }: ViewCall) =>
    [
      { counter: sessions, key: login.session.id },
      { counter: addresses, key: networkOf(ctx.ip) },
    ] as const

  return {
    async check(call) {
      for (const { counter, key } of both(call)) {
        const state = await counter.peek(key)
        if (state.isOver) throw limited(state, `You entered more than ${counter.limit} wrong codes within 15 minutes.`)
      }
    },
    async countWrong(call) {
      for (const { counter, key } of both(call)) await counter.take(key)
    },
  }
}
