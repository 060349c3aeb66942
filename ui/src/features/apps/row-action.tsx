import { Button } from "@/components/button";

/** An app's action in its row. Pressing it doesn't press the row. */
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
