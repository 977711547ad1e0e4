/** The command that lists records of a kind, by the path of a record. */
const LISTINGS: [path: RegExp, command: string][] = [
  [/^\/v1\/webhooks\/([^/]+)\/deliveries\/./, 'webhooks deliveries $1'],
  [/^\/v1\/webhooks\/([^/]+)/, 'webhooks list'],
  [/^\/v1\/messages\/bulk\/./, 'broadcast list'],
  [/^\/v1\/agents\/tools\/./, 'tools list'],
  [/^(?:\/admin)?\/v1\/knowledge\/nodes\/./, 'knowledge tree'],
  [/^\/admin\/v1\/assistants\/([^/]+)\/blocks\/./, 'assistants blocks $1'],
  [/^\/admin\/v1\/tokens\/./, 'token list'],
  [/^\/admin\/v1\/dead-letters\/./, 'dead-letters list'],
  [/^\/admin\/v1\/erasures\/./, 'data erasures'],
  [/^\/admin\/v1\/audit\/./, 'audit list'],
  [/^\/admin\/v1\/operator-keys\/./, 'operator-keys list'],
  [/^\/admin\/v1\/(programs|memberships)\/./, 'loyalty $1 list'],
  [
    /^\/admin\/v1\/(projects|channels|pipelines|tags|event-types|custom-fields|customers|appointments|assistants|blocks)\/./,
    '$1 list',
  ],
]

/** The command that lists existing ids, for a path that was not found; undefined where no command lists them. */
export function listingFor(path: string): string | undefined {
  for (const [pattern, command] of LISTINGS) {
    const [found, first = ''] = pattern.exec(path) ?? []
    if (found) return `parley ${command.replace('$1', decodeURIComponent(first))}`
  }
  return undefined
}
