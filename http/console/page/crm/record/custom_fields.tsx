/** The custom fields of a record: those that are defined, by type, and what else it has. */
import type { Definitions } from '../../records/definitions.ts'
import { Choice, Editable, Row } from './fields.tsx'
import { valueText } from './words.ts'

type CustomField = Definitions['custom_fields'][number]

/** `onChange` gets all fields as they will be, and the name of the changed one. */
export function CustomFields({
  owner,
  values,
  definitions,
  onChange,
}: {
  owner: string
  values: Record<string, unknown>
  definitions: Definitions | undefined
  onChange(values: Record<string, unknown>, name: string): void
}) {
  const defined = definitions?.custom_fields.filter((field) => field.owner === owner) ?? []
  const known = new Set(defined.map(({ key }) => key))
  const others = Object.entries(values).filter(([key]) => !known.has(key))
  const change = ({ key, name }: CustomField, value: unknown) => {
    const { [key]: _, ...rest } = values
    onChange(value === null ? rest : { ...rest, [key]: value }, name)
  }
  return [
    ...defined.map((field) => (
      <CustomFieldRow
        field={field}
        value={values[field.key] ?? null}
        onChange={(value) => change(field, value)}
        key={field.key}
      />
    )),
    ...others.map(([key, value]) => (
      <Row label={key} key={key}>
        <span class="panel-text">{valueText(value)}</span>
      </Row>
    )),
  ]
}

function CustomFieldRow({
  field: { name, type, options },
  value,
  onChange,
}: {
  field: CustomField
  value: unknown
  onChange(value: unknown): void
}) {
  if (type === 'boolean') {
    const choices = [
      { value: 'true', text: 'Yes' },
      { value: 'false', text: 'No' },
    ]
    return (
      <Choice
        label={name}
        value={value === null ? null : String(value)}
        options={choices}
        empty="–"
        onChange={(text) => onChange(text === null ? null : text === 'true')}
      />
    )
  }
  if (type === 'string' && options) {
    const choices = options.map((option) => ({ value: option, text: option }))
    return (
      <Choice
        label={name}
        value={typeof value === 'string' ? value : null}
        options={choices}
        empty="–"
        onChange={onChange}
      />
    )
  }
  if (type === 'string[]') {
    return (
      <Editable
        label={name}
        value={Array.isArray(value) ? value.join(', ') : null}
        onSave={(text) => onChange(text === null ? null : listOf(text))}
        problemOf={(text) => unknownOf(listOf(text), options)}
      />
    )
  }
  if (type === 'number') {
    return (
      <Editable
        label={name}
        value={value === null ? null : String(value)}
        input_mode="decimal"
        onSave={(text) => onChange(text === null ? null : Number(text))}
        problemOf={(text) => (Number.isFinite(Number(text)) ? null : 'Write a number, such as 12.5.')}
      />
    )
  }
  return (
    <Editable
      label={name}
      value={value === null ? null : String(value)}
      type={type === 'date' ? 'date' : undefined}
      onSave={onChange}
    />
  )
}

function listOf(text: string) {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

function unknownOf(values: string[], options: string[] | null) {
  const unknown = options ? values.filter((value) => !options.includes(value)) : []
  return unknown.length > 0 ? `${unknown.join(', ')}: choose from ${options?.join(', ')}.` : null
}
