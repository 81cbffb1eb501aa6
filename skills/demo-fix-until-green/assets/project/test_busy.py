import unittest

from busy import Slot, free, merge


def slots(*texts):
    return [Slot.parse(text) for text in texts]


class BusyTest(unittest.TestCase):
    def assert_slots(self, found, *expected):
        self.assertEqual([str(slot) for slot in found], list(expected))

    def test_no_meetings_leave_the_whole_day_free(self):
        self.assert_slots(free([], Slot.parse("08:00-18:00")), "08:00-18:00")

    def test_overlapping_meetings_are_one_slot(self):
        self.assert_slots(merge(slots("10:30-11:30", "10:00-11:00")), "10:00-11:30")

    def test_back_to_back_meetings_are_one_slot(self):
        self.assert_slots(merge(slots("09:00-10:00", "10:00-11:00")), "09:00-11:00")

    def test_a_meeting_inside_a_longer_one_does_not_cut_it_short(self):
        self.assert_slots(merge(slots("13:00-17:00", "14:00-14:30")), "13:00-17:00")

    def test_free_time_is_what_lies_between_the_meetings(self):
        meetings = slots("09:00-10:00", "09:30-11:00", "15:00-16:00")
        self.assert_slots(free(meetings, Slot.parse("08:00-18:00")), "08:00-09:00", "11:00-15:00", "16:00-18:00")


if __name__ == "__main__":
    unittest.main()
