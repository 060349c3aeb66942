import { TriangleAlert } from "lucide-react";
import { RadioGroup } from "radix-ui";
import { type ReactNode, useId } from "react";
import { Icon } from "@/components/icon";

/** A choice of a few values, each with a name and a description. */
export function Choices<Value extends string>({
  title,
  text,
  note,
  value,
  values,
  onChoose,
}: {
  title: string;
  /** The description of the choice, below its title. */
  text?: string;
  /** Why the choice has no effect yet. */
  note?: string | undefined;
  value: Value;
  values: readonly { value: Value; name: ReactNode; text: string }[];
  onChoose: (value: Value) => void;
}) {
  const id = useId();
  return (
    <section>
      <h3 id={id} className="m-0 mb-1 font-semibold">
        {title}
      </h3>
      {text !== undefined && <p className="m-0 mb-2 text-fg-2">{text}</p>}
      {note !== undefined && (
        <p id={`${id}-note`} className="m-0 mb-2 flex gap-1.5 text-warn">
          <Icon of={TriangleAlert} className="mt-0.75 shrink-0" />
          <span className="min-w-0">{note}</span>
        </p>
      )}
      <RadioGroup.Root
        aria-labelledby={id}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        value={value}
        onValueChange={(chosen) => {
          const known = values.find((one) => one.value === chosen);
          if (known) onChoose(known.value);
        }}
        className="flex flex-col gap-2"
      >
        {values.map((one) => (
          <div key={one.value} className="flex items-start gap-2">
            <RadioGroup.Item
              id={`${id}-${one.value}`}
              value={one.value}
              aria-describedby={`${id}-${one.value}-hint`}
              className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-control bg-surface transition-colors data-[state=checked]:border-accent disabled:opacity-50"
            >
              <RadioGroup.Indicator className="block size-2 rounded-full bg-accent" />
            </RadioGroup.Item>
            <div className="min-w-0 flex-1">
              <label htmlFor={`${id}-${one.value}`} className="font-[560]">
                {one.name}
              </label>
              <p id={`${id}-${one.value}-hint`} className="m-0 text-sm text-fg-2">
                {one.text}
              </p>
            </div>
          </div>
        ))}
      </RadioGroup.Root>
    </section>
  );
}
