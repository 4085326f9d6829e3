package lists_test

import (
	"fmt"
	"testing"

	"pgmpi/internal/lists"
	"pgmpi/testkit/should"
)

func even(n int) bool { return n%2 == 0 }

func TestListsAreMadeInOrder(t *testing.T) {
	should.Equal(t, lists.Map([]int{2, 1}, func(n int) string { return fmt.Sprint(n) }), []string{"2", "1"})
	should.Equal(t, lists.Keep([]int{4, 1, 2}, even), []int{4, 2})
	should.Equal(t, lists.Count([]int{4, 1, 2}, even), 2)
	should.Equal(t, lists.With(lists.With(nil, 3), 3), []int{3})
}

func TestEmptyListsAreNil(t *testing.T) {
	should.Hold(t, lists.Map([]int{}, even) == nil, "Map made a list")
	should.Hold(t, lists.Keep([]int{1}, even) == nil, "Keep made a list")
}

func TestFirstPointsIntoTheList(t *testing.T) {
	list := []int{1, 2, 4}
	*lists.First(list, even) = 6
	should.Equal(t, list, []int{1, 6, 4})
	should.Hold(t, lists.First(list[:1], even) == nil, "found what is not there")
}

func TestFirstOrNewAddsOnlyWhatIsMissing(t *testing.T) {
	list := []int{1}
	*lists.FirstOrNew(&list, even, 2)++
	should.Equal(t, list, []int{1, 3})
	lists.FirstOrNew(&list, func(n int) bool { return n == 3 }, 9)
	should.Equal(t, list, []int{1, 3})
}
