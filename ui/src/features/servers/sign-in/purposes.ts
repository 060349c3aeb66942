// Icons for the purposes of sign-in steps.
import {
  BadgeCheck,
  FileKey,
  FileSearch,
  IdCard,
  type LucideIcon,
  MessageCircleQuestionMark,
  PenLine,
  ScanSearch,
  SquareArrowOutUpRight,
  Undo2,
} from "lucide-react";
import type { SignInPurpose } from "@/ipc/bindings/SignInPurpose";

export const purposes: Record<SignInPurpose, LucideIcon> = {
  challenge: MessageCircleQuestionMark,
  resource_metadata: FileSearch,
  server_metadata: ScanSearch,
  client_identity: IdCard,
  registration: PenLine,
  authorization: SquareArrowOutUpRight,
  token: FileKey,
  profile: BadgeCheck,
  revocation: Undo2,
};
