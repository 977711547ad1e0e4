import { type Command, Help, type HelpConfiguration, type Option } from 'commander'

/** How help shows commands: a required option stands in the usage line, comes first, and says that it is required. */
export const helpStyle: HelpConfiguration = {
  showGlobalOptions: false,
  commandUsage(command: Command): string {
    const usage = Help.prototype.commandUsage.call(this, command)
    const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
    return usage.replace('[options]', [...required, '[options]'].join(' '))
  },
  visibleOptions(command: Command): Option[] {
    const options = Help.prototype.visibleOptions.call(this, command)
    return options.toSorted((one, other) => Number(other.mandatory) - Number(one.mandatory))
  },
  optionDescription(option: Option): string {
    const description = Help.prototype.optionDescription.call(this, option)
    return option.mandatory ? `${description} (required)` : description
  },
}
