/** The project of the first channel, and the user who holds its token. */

import { type Api, ApiRefusal } from '../connection/api.ts'
import type { Company, Project, User } from '../records/generated.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { table } from '../terminal/terminal.ts'
import type { Dialogue, Question } from './dialogue.ts'
import { done, failed } from './steps.ts'

export type PlaceOptions = {
  project?: string
  companyName?: string
  projectName?: string
  owner?: string
  ownerEmail?: string
}

/** A place that was chosen. What does not exist yet is made later, when the number is known to work. */
export type Place = {
  company_name?: string
  company?: Company
  project_name?: string
  project?: Project
  /** The user who holds the token: an existing one, or a new one. */
  owner: { user_id: string } | { full_name: string; email: string }
}

const PERMISSION = 'developer.manage_tokens'
const EMAIL: Question = {
  text: 'Your e-mail address',
  option: '--owner-email',
  problem: (text) => (/^[^\s@]+@[^\s@]+$/.test(text) ? undefined : 'Type an address such as ana@example.com.'),
}
/** Projects that are offered; others are named by --project. */
const MAX_OFFERED = 20

/** The project that is named or chosen, or the names of a new one. Makes nothing. */
export async function choosePlace(api: Api, dialogue: Dialogue, options: PlaceOptions): Promise<Place> {
  const place = await chooseProject(api, dialogue, options)
  const company_id = place.project?.company_id ?? place.company?._id
  const users: User[] = company_id ? await api.all('/admin/v1/users', { company_id }) : []
  const able = users.find(({ is_active, permissions }) => is_active && permissions.includes(PERMISSION))
  if (able) return { ...place, owner: { user_id: able._id } }
  const hint = 'Tokens belong to a user, who is told by e-mail when one ends or leaks.'
  const full_name = await dialogue.answer(options.owner, { text: 'Your full name', hint, option: '--owner' })
  const email = await dialogue.answer(options.ownerEmail, EMAIL)
  return { ...place, owner: { full_name, email } }
}

async function chooseProject(api: Api, dialogue: Dialogue, options: PlaceOptions): Promise<Omit<Place, 'owner'>> {
  if (options.project)
    return { project: await api.call('GET', `/admin/v1/projects/${encodeURIComponent(options.project)}`) }
  const is_named = options.companyName !== undefined || options.projectName !== undefined
  const path = `/admin/v1/projects?limit=${MAX_OFFERED}`
  const { data } = is_named ? { data: [] } : await api.call<{ data: Project[] }>('GET', path)
  const chosen = data.length > 0 && (await choose(dialogue, data))
  if (chosen) return { project: chosen }
  const company_name = await dialogue.answer(options.companyName, {
    text: 'Name of your company',
    option: '--company-name',
  })
  const project_name = await dialogue.answer(options.projectName, {
    text: 'Name of the project',
    hint: 'A project has its own channels, contacts and tokens.',
    option: '--project-name',
    otherwise: 'Main',
  })
  return existing(api, company_name, project_name)
}

/** A company and a project of these names, as a former run has made them. @throws {CommandFailure} when several match */
async function existing(api: Api, company_name: string, project_name: string): Promise<Omit<Place, 'owner'>> {
  const companies: Company[] = await api.all('/admin/v1/companies')
  const company = onlyOne(companies, company_name, 'companies')
  if (!company) return { company_name, project_name }
  const projects: Project[] = await api.all('/admin/v1/projects', { company_id: company._id })
  const project = onlyOne(projects, project_name, 'projects')
  return project ? { project } : { company, project_name }
}

function onlyOne<Named extends { name: string }>(all: Named[], name: string, what: string): Named | undefined {
  const same = all.filter((one) => one.name === name.trim())
  if (same.length > 1) throw new CommandFailure(`Several ${what} have the name “${name}”: choose with --project.`, 2)
  return same[0]
}

/** Undefined for a new project. */
async function choose(dialogue: Dialogue, projects: Project[]): Promise<Project | undefined> {
  if (!dialogue.is_possible) {
    throw new CommandFailure('--project is missing: its id, or --company-name and --project-name.', 2)
  }
  const rows = projects.map(({ _id, name }, index) => [String(index + 1), _id, name])
  process.stderr.write(table(['', 'project', 'name'], rows, 2, process.stderr))
  const number = await dialogue.ask({
    text: 'Number of the project, or new',
    option: '--project',
    otherwise: 'new',
    problem: (text) =>
      text === 'new' || projects[Number(text) - 1] ? undefined : `Type a number from 1 to ${projects.length}, or new.`,
  })
  return number === 'new' ? undefined : projects[Number(number) - 1]
}

/** The project of a place. Makes what does not exist. */
export async function makeProject(api: Api, place: Place): Promise<Project> {
  if (place.project) {
    done(`The project is “${place.project.name}” (${place.project._id}).`)
    return place.project
  }
  const company: Company =
    place.company ?? (await api.call('POST', '/admin/v1/companies', { name: place.company_name }))
  const fresh = { company_id: company._id, name: place.project_name }
  const project: Project = await api.call('POST', '/admin/v1/projects', fresh)
  done(`The company “${company.name}” has the project “${project.name}” (${project._id}).`)
  return project
}

/** The id of the user who holds the token. Asks again for an e-mail address that somebody else has. */
export async function makeOwner(api: Api, dialogue: Dialogue, { owner }: Place, project: Project): Promise<string> {
  if ('user_id' in owner) return owner.user_id
  const { company_id } = project
  for (let { email } = owner; ; ) {
    try {
      const user = { company_id, full_name: owner.full_name, email, permissions: [PERMISSION] }
      return (await api.call<User>('POST', '/admin/v1/users', user))._id
    } catch (error) {
      const is_taken = error instanceof ApiRefusal && error.code === 'USER_ALREADY_EXISTS'
      if (!is_taken || !dialogue.is_possible) throw error
      failed(error.message)
      email = await dialogue.ask(EMAIL)
    }
  }
}
