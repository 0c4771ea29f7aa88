import { z } from 'zod'
import { invalid } from '../../../contract/validate.ts'
import { renderDeviceCode, renderDeviceConfirm, renderDeviceDone } from '../../../pages/account/device.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Dependencies } from '../../dependencies.ts'
import { deviceAttempts } from './device-attempts.ts'
import { decision } from '../forms/fields.ts'
import { viewerOf, type Page } from '../routing/page.ts'

const userCode = z.string().default('')
const codeForm = z.object({ user_code: userCode })
const decisionForm = z.object({ user_code: userCode, decision })

/** The pages of the device grant (RFC 8628 section 3.3): the user types the code, sees which application asks, and decides. */
export function devicePages({ oauth }: Pick<Dependencies, 'oauth'>): Page[] {
  const attempts = deviceAttempts()
  return [
    {
      method: 'GET',
      path: paths.device,
      access: 'user',
      handle({ ctx, csrf, show }) {
        // From `verification_uri_complete`. It only fills in the field, so a link sent by an attacker alone does nothing.
        const sent = ctx.query['user_code']
        show(renderDeviceCode({ csrf, form: { values: { user_code: typeof sent === 'string' ? sent.slice(0, 40) : '' } } }))
      },
    },
    {
      method: 'POST',
      path: paths.device,
      access: 'user',
      formAddress,
      async handle(call) {
        const { user, csrf, submitted, show } = call
        attempts.check(call)
        const { user_code } = submitted(codeForm).data ?? { user_code: '' }
        const asked = await oauth.device.lookup(user_code)
        if (asked === null) {
          attempts.countWrong(call)
          const errors = {
            user_code: 'No device is waiting with this code. Compare it with the code on the device, or start again there.',
          }
          return show(renderDeviceCode({ csrf, form: { values: { user_code }, errors } }), 422)
        }
        const { application, scopes } = asked
        show(
          renderDeviceConfirm({
            applicationName: application.name,
            scopes,
            userCode: formatUserCode(user_code),
            viewer: viewerOf(user),
            csrf,
          }),
        )
      },
    },
    {
      method: 'POST',
      path: paths.deviceDecision,
      access: 'user',
      formAddress,
      async handle(call) {
        const { user, submitted, show } = call
        attempts.check(call)
        const { data } = submitted(decisionForm)
        if (data === undefined) throw invalid([{ path: 'decision', message: 'must be allow or deny' }])
        const asked = await oauth.device.lookup(data.user_code)
        const isDecided = asked !== null && (await oauth.device.decide(data.user_code, user, data.decision === 'allow'))
        if (!isDecided) attempts.countWrong(call)
        const outcome = isDecided ? (data.decision === 'allow' ? 'allowed' : 'denied') : 'ended'
        show(renderDeviceDone({ outcome, applicationName: asked?.application.name ?? null }), isDecided ? 200 : 422)
      },
    },
  ]
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
