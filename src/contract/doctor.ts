import { z } from 'zod'
import { CHECKS, FINDINGS, type CheckName, type FindingCode } from '../core/findings.ts'

const codes = Object.keys(FINDINGS) as [FindingCode, ...FindingCode[]]
const checkName = z.enum(CHECKS as unknown as [CheckName, ...CheckName[]])

export const doctorRequest = z
  .strictObject({
    subset: z
      .string()
      .regex(/^\d{1,6}\/\d{1,6}$/, 'must be a part such as 1/10')
      .refine((value) => {
        const [part = 0, of = 0] = value.split('/').map(Number)
        return part >= 1 && part <= of
      }, 'must be a part such as 1/10')
      .default('1/1')
      .meta({ description: 'Which part of the originals to read, such as `1/10`. By default, all of them' }),
    fix: z.boolean().default(false).meta({ description: 'Whether to make the repairs that are safe' }),
  })
  .meta({ id: 'DoctorRequest' })
export type DoctorRequest = z.input<typeof doctorRequest>

export const doctorFinding = z
  .object({
    code: z.enum(codes).meta({ description: '`docs/doctor.md` explains each code' }),
    severity: z.enum(['warning', 'error', 'fatal']).meta({
      description:
        '`warning`: nothing is lost, and docsearch works. `error`: something is damaged or missing. `fatal`: docsearch cannot work, or the check failed',
    }),
    message: z.string(),
    advice: z.string().meta({ description: 'What to do' }),
    place: z.string().nullable().meta({ description: 'The file, relative to the data folder, or the address' }),
    documents: z.array(z.object({ id: z.string(), project: z.string(), path: z.string() })),
    fixed: z.string().nullable().meta({ description: 'What `fix` did, in a sentence. Null if it did nothing' }),
    repaired: z.boolean().meta({ description: 'False while something is left to do' }),
  })
  .meta({ id: 'DoctorFinding' })
export type DoctorFinding = z.infer<typeof doctorFinding>

export const doctorReport = z
  .object({
    status: z.enum(['ok', 'findings', 'fatal']).meta({ description: '`ok` also if everything that was found is repaired' }),
    checks: z.array(z.object({ name: checkName, status: z.enum(['ok', 'findings', 'skipped']), message: z.string() })),
    findings: z.array(doctorFinding),
  })
  .meta({ id: 'DoctorReport' })
export type DoctorReport = z.infer<typeof doctorReport>

export const doctorLine = z
  .object({
    progress: z
      .object({
        check: checkName,
        done: z.number(),
        total: z.number().nullable(),
        unit: z.enum(['bytes', 'files']),
      })
      .optional(),
    report: doctorReport.optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'DoctorLine', description: 'Has exactly one of these fields. The last line has `report` or `error`' })
export type DoctorLine = z.infer<typeof doctorLine>
export type DoctorProgress = NonNullable<DoctorLine['progress']>
