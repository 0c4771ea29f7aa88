import { statusOf, type Examination, type Finding } from '../../core/findings.ts'
import type { DoctorFinding, DoctorReport } from '../doctor.ts'

export function presentExamination({ checks, findings }: Examination): DoctorReport {
  return { status: statusOf(findings), checks, findings: findings.map(presentFinding) }
}

function presentFinding({ documents, isRepaired, ...finding }: Finding): DoctorFinding {
  return { ...finding, repaired: isRepaired, documents: documents.map(({ id, project, path }) => ({ id, project, path })) }
}
