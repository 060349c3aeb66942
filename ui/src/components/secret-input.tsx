import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { IconButton } from "./button";
import { Input } from "./input";

/** A field for a secret, masked until the person shows it. It never contains a saved secret. */
export function SecretInput({
  fresh = false,
  className,
  ...rest
}: ComponentProps<typeof Input> & {
  /** A new secret: a password manager must not fill it in. */
  fresh?: boolean;
}) {
  const { t } = useTranslation();
  const [revealed, setRevealed] = useState(false);
  return (
    <div className={cx("relative min-w-0 flex-1", className)}>
      <Input type={revealed ? "text" : "password"} autoComplete={fresh ? "new-password" : "current-password"} {...rest} className="pr-8" />
      <IconButton
        small
        icon={revealed ? EyeOff : Eye}
        aria-pressed={revealed}
        label={t(revealed ? "secret.hide" : "secret.reveal")}
        onClick={() => setRevealed(!revealed)}
        className="absolute top-0.75 right-0.75"
      />
    </div>
  );
}
