/** Colors for code: a token is a comment, a text, a key, a number or a word of the language. All else stays as it is. */
import { escaped } from './html.ts'

type Language = { tokens: RegExp; classes: readonly string[] }

const TEXT = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/.source
const NUMBER = /\b\d[\d._]*\b/.source
const TYPESCRIPT_WORDS =
  'import|export|from|const|let|function|return|if|else|for|of|while|new|await|async|throw|try|catch|typeof|class|extends|continue|break|true|false|null|undefined'
const PYTHON_WORDS =
  'import|from|def|return|if|elif|else|for|in|while|with|as|not|and|or|is|lambda|class|try|except|raise|True|False|None'

/** Each group of the pattern is one class, in this order. */
function language(groups: Record<string, string>): Language {
  const pattern = Object.values(groups).map((group) => `(${group})`)
  return { tokens: new RegExp(pattern.join('|'), 'gm'), classes: Object.keys(groups) }
}

const json = language({
  key: `${/"(?:[^"\\\n]|\\.)*"/.source}(?=\\s*:)`,
  text: TEXT,
  number: `-?${NUMBER}`,
  word: '\\b(?:true|false|null)\\b',
})
const typescript = language({
  comment: '//[^\\n]*|/\\*[\\s\\S]*?\\*/',
  text: `${TEXT}|${/`(?:[^`\\]|\\.)*`/.source}`,
  word: `\\b(?:${TYPESCRIPT_WORDS})\\b`,
  number: NUMBER,
})
const python = language({ comment: '#[^\\n]*', text: TEXT, word: `\\b(?:${PYTHON_WORDS})\\b`, number: NUMBER })
const shell = language({
  comment: '(?<=^|\\s)#[^\\n]*',
  text: /"(?:[^"\\]|\\.)*"|'[^']*'/.source,
  key: '\\$\\w+|\\$\\{[^}\\n]*\\}',
  word: '(?<=\\s)--?[A-Za-z][\\w-]*',
})
const http = language({ key: '^[A-Za-z-]+(?=: )', word: '^(?:GET|POST|PUT|PATCH|DELETE|HTTP\\/1\\.1)\\b', text: TEXT })

const LANGUAGES: Record<string, Language> = {
  json,
  js: typescript,
  ts: typescript,
  javascript: typescript,
  typescript,
  python,
  bash: shell,
  sh: shell,
  shell,
  http,
}

/** The code as HTML. */
export function highlighted(code: string, name: string): string {
  const known = LANGUAGES[name.toLowerCase()]
  if (known === undefined) return escaped(code)
  let done = ''
  let at = 0
  for (const found of code.matchAll(known.tokens)) {
    const [token, ...groups] = found
    const kind = known.classes[groups.findIndex((group) => group !== undefined)]
    done += `${escaped(code.slice(at, found.index))}<span class="${kind}">${escaped(token)}</span>`
    at = found.index + token.length
  }
  return done + escaped(code.slice(at))
}
