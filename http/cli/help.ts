import { type Command, Help, type HelpConfiguration, type Option } from 'commander'

/** Style of the help: a required option is part of the usage line, comes first, and is marked as required. */
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
