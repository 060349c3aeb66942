import { Button } from "@/components/button";

/** What can be done about an app, in its row. A press is not one on the row. */
export function RowAction({ title, text, onPress }: { title?: string; text: string; onPress: () => void }) {
  return (
    <Button
      title={title}
      onClick={(event) => {
        event.stopPropagation();
        onPress();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") event.stopPropagation();
      }}
      className="h-6.5 px-2"
    >
      {text}
    </Button>
  );
}
