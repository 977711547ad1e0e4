/** The project of the first channel, and a token of it. */
import type { Api } from '../api.ts'
import { CommandFailure } from '../failure.ts'
import { table } from '../terminal.ts'
import type { Dialogue } from './dialogue.ts'
import { done } from './steps.ts'

type Project = { _id: string; company_id: string; name: string }
type User = { _id: string; permissions: string[]; is_active: boolean }
export type PlaceOptions = {
  project?: string
  companyName?: string
  projectName?: string
  owner?: string
  ownerEmail?: string
}

const PERMISSION = 'developer.manage_tokens'
/** Projects that are offered; others are named by --project. */
const MOST_OFFERED = 20

/** The project that is named or chosen, or a new one in a new company. */
export async function findProject(api: Api, dialogue: Dialogue, options: PlaceOptions): Promise<Project> {
  if (options.project) return api.call('GET', `/admin/v1/projects/${encodeURIComponent(options.project)}`)
  const is_new = options.companyName !== undefined || options.projectName !== undefined
  const { data } = is_new ? { data: [] } : await api.call('GET', `/admin/v1/projects?limit=${MOST_OFFERED}`)
  if (data.length > 0) {
    const chosen = await choose(dialogue, data)
    if (chosen) return chosen
  }
  const company_name = await answer(dialogue, options.companyName, {
    text: 'Name of your company',
    option: '--company-name',
  })
  const name = await answer(dialogue, options.projectName, {
    text: 'Name of the project',
    hint: 'A project has its own channels, contacts and tokens.',
    option: '--project-name',
    otherwise: 'Main',
  })
  const company = await api.call('POST', '/admin/v1/companies', { name: company_name })
  const project: Project = await api.call('POST', '/admin/v1/projects', { company_id: company._id, name })
  done(`The company “${company_name}” has the project “${name}” (${project._id}).`)
  return project
}

/** Undefined for a new project. */
async function choose(dialogue: Dialogue, projects: Project[]): Promise<Project | undefined> {
  if (!dialogue.is_possible) {
    throw new CommandFailure('--project is missing: its id, or --company-name and --project-name for a new one.', 2)
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

/** A token with every scope, of the user of the company who may hold tokens, or of a new one. */
export async function makeToken(
  api: Api,
  dialogue: Dialogue,
  { _id: project_id, company_id }: Project,
  options: PlaceOptions,
): Promise<string> {
  const users: User[] = await api.all('/admin/v1/users', { company_id })
  const able = users.find(({ is_active, permissions }) => is_active && permissions.includes(PERMISSION))
  const user_id = able?._id ?? (await makeOwner(api, dialogue, company_id, options))
  const { scopes } = await import('../../../actors/mod.ts')
  const { token } = await api.call('POST', '/admin/v1/tokens', { project_id, user_id, name: 'parley init', scopes })
  return token
}

async function makeOwner(api: Api, dialogue: Dialogue, company_id: string, options: PlaceOptions): Promise<string> {
  const hint = 'Tokens belong to a user, who is told by e-mail when one ends or leaks.'
  const full_name = await answer(dialogue, options.owner, { text: 'Your full name', hint, option: '--owner' })
  const email = await answer(dialogue, options.ownerEmail, {
    text: 'Your e-mail address',
    option: '--owner-email',
    problem: (text) => (/^[^\s@]+@[^\s@]+$/.test(text) ? undefined : 'Type an address such as ana@example.com.'),
  })
  const { _id } = await api.call('POST', '/admin/v1/users', { company_id, full_name, email, permissions: [PERMISSION] })
  return _id
}

/** The value of the option, or the answer to the question. */
export function answer(
  dialogue: Dialogue,
  given: string | undefined,
  question: Parameters<Dialogue['ask']>[0],
): Promise<string> {
  return given === undefined ? dialogue.ask(question) : Promise.resolve(given)
}
