import { expect, test } from 'vitest'
import type { ProjectRole, VisibleProject } from '../../../src/core/model.ts'
import { VisibleProjects } from '../../../src/services/visible-projects.ts'
import { errorCode } from '../../support/codes.ts'

const project = (id: string, name: string, role: ProjectRole = 'manager'): VisibleProject => ({
  id,
  name,
  role,
  ownerId: 'usr_1',
  ownerName: `Owner of ${id}`,
})

const visible = (...projects: VisibleProject[]) => VisibleProjects.of({ projects, deletedIds: ['prj_gone'] })

test('finds a project by its id or its name, and prefers the id', () => {
  const projects = visible(project('prj_b', 'notes'), project('prj_a', 'prj_b'))
  expect(projects.find('prj_b')?.id).toBe('prj_b')
  expect(projects.find('notes')?.id).toBe('prj_b')
  expect(projects.find('prj_a')?.name).toBe('prj_b')
  expect(projects.find('prj_gone')).toBeNull()
  expect(() => projects.require('prj_gone')).toThrow(expect.objectContaining({ code: errorCode('project_not_found') }))
  expect([...projects.ids]).toEqual(['prj_a', 'prj_b'])
  expect([...projects.heardIds].toSorted()).toEqual(['prj_a', 'prj_b', 'prj_gone'])
})

test('refuses a name that several projects have, and names them', () => {
  const projects = visible(project('prj_a', 'notes'), project('prj_b', 'notes'), project('prj_c', 'other'))
  expect(() => projects.find('notes')).toThrow(
    expect.objectContaining({
      code: errorCode('ambiguous_name'),
      message: expect.stringContaining('prj_a (owner: Owner of prj_a), prj_b (owner: Owner of prj_b)'),
      details: {
        candidates: [
          { id: 'prj_a', owner: 'Owner of prj_a' },
          { id: 'prj_b', owner: 'Owner of prj_b' },
        ],
      },
    }),
  )
  expect(projects.find('prj_a')?.id).toBe('prj_a')
  expect(projects.unambiguousName('prj_a')).toBe('prj_a')
  expect(projects.unambiguousName('prj_c')).toBe('other')
  expect(projects.unambiguousName('prj_gone')).toBeNull()
})

test('a role includes the roles below it', () => {
  const roles: ProjectRole[] = ['reader', 'writer', 'manager']
  for (const [have, role] of roles.entries()) {
    const projects = visible(project('prj_a', 'notes', role))
    expect([...projects.withRole(role)]).toEqual(['prj_a'])
    for (const [need, required] of roles.entries()) {
      if (have >= need) expect(projects.requireRole('notes', required).id).toBe('prj_a')
      else
        expect(() => projects.requireRole('notes', required)).toThrow(
          expect.objectContaining({ code: errorCode('insufficient_role'), details: { role: required } }),
        )
    }
  }
})
